// Pictures of the figures shown inside an element, for the buttons of a page: as they look, in their theme and size.
const within = (node, element) => {
  for (let at = node; at; at = at.assignedSlot ?? at.parentNode ?? at.host) if (at === element) return true
  return false
}

/** Views of the figures of app.plots that stand inside an element, in the order of the page. */
export const figuresIn = element => [...Bokeh.index.query(view => view.model?.tags?.includes?.("plots") && within(view.el, element))]
  .sort((a, b) => { const p = a.el.getBoundingClientRect(), q = b.el.getBoundingClientRect(); return p.top - q.top || p.left - q.left })

const cardOf = view => getComputedStyle(view.el).backgroundColor

/** A PNG of figures one under the other, each under its head {title, subtitle}, if it has one. */
export function pngOf(views, heads = []) {
  const sheets = views.map(view => view.export("png", true).canvas), first = views[0]
  const density = sheets[0].width / first.el.clientWidth, band = 30 * density
  const ink = first.model.css_variables["--plots-ink"] ?? "#1b232d"
  const tops = [], width = Math.max(...sheets.map(sheet => sheet.width))
  let height = 0
  sheets.forEach((sheet, k) => { tops.push(height + (heads[k] ? band : 0)); height = tops[k] + sheet.height })
  const picture = Object.assign(document.createElement("canvas"), {width, height}), pen = picture.getContext("2d")
  pen.fillStyle = cardOf(first)
  pen.fillRect(0, 0, width, height)
  sheets.forEach((sheet, k) => {
    if (heads[k]) {
      const {title, subtitle = ""} = heads[k], middle = tops[k] - band / 2
      Object.assign(pen, {textBaseline: "middle", fillStyle: ink, font: `700 ${14 * density}px Roboto, Arial, sans-serif`})
      pen.fillText(title, 14 * density, middle)
      const indent = 24 * density + pen.measureText(title).width
      pen.font = `400 ${12 * density}px Roboto, Arial, sans-serif`
      pen.fillText(subtitle, indent, middle)
    }
    pen.drawImage(sheet, 0, tops[k])
  })
  return new Promise(done => picture.toBlob(blob => done(stamped(blob)), "image/png"))
}

/** An SVG of one figure, on its card. */
export async function svgOf(view) {
  const drawn = await (await view.export("svg", false).to_blob()).text()
  const card = `<rect width="100%" height="100%" fill="${cardOf(view)}"/>`
  return stamped(new Blob([drawn.replace(/(<svg[^>]*>)/, `$1${card}`)], {type: "image/svg+xml"}))
}
