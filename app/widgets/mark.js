// A sample of how something is drawn in a chart: kind is line, dash, dashdot, dots, dot, ring, diamond or band; token its colour.
function mark(kind, token) {
  const c = `var(--lab-${token})`
  const shape = {
    line: `<path d="M0 6h14" stroke="${c}" stroke-width="3"/>`,
    dash: `<path d="M0 6h14" stroke="${c}" stroke-width="2.4" stroke-dasharray="5 3.5"/>`,
    dashdot: `<path d="M0 6h14" stroke="${c}" stroke-width="2.4" stroke-dasharray="6 2.5 2 2.5"/>`,
    dots: `<path d="M0 6h14" stroke="${c}" stroke-width="2.4" stroke-dasharray="2 3"/>`,
    dot: `<circle cx="7" cy="6" r="4" fill="${c}"/>`,
    ring: `<circle cx="7" cy="6" r="4.4" fill="none" stroke="${c}" stroke-width="1.5"/>`,
    diamond: `<path d="M7 1l5 5-5 5-5-5z" fill="none" stroke="${c}" stroke-width="1.5"/>`,
    band: `<rect y="2" width="14" height="8" fill="${c}" opacity=".3"/>`,
  }[kind]
  return shape ? `<svg class="mark" width="14" height="12" viewBox="0 0 14 12" aria-hidden="true">${shape}</svg>` : ""
}
