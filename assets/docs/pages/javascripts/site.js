/* Sets every formula of a page with KaTeX, which lies beside it; draws a moving figure once it is seen, and again at a press;
   brings the lab into view with a link that loads it; names what Material leaves without a name, for screen readers and the keyboard. */
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".arithmatex")) {
    const text = element.textContent
    katex.render(text.slice(2, -2), element, {displayMode: text.startsWith("\\["), throwOnError: false})
  }
  const draw = figure => { figure.classList.remove("drawn"); void figure.offsetWidth; figure.classList.add("drawn") }
  const seen = new IntersectionObserver(entries => {
    for (const {isIntersecting, target} of entries) if (isIntersecting) { draw(target); seen.unobserve(target) }
  }, {threshold: 0.4})
  for (const figure of document.querySelectorAll("figure.moving")) {
    seen.observe(figure)
    figure.querySelector(".again").addEventListener("click", () => draw(figure))
  }
  for (const link of document.querySelectorAll("a[target=lab]"))
    link.addEventListener("click", () => document.querySelector("iframe.lab").scrollIntoView({block: "center"}))
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search")
  for (const list of document.querySelectorAll(".md-nav--secondary .md-nav")) list.ariaLabel = `parts of ${list.ariaLabel}`
  for (const block of document.querySelectorAll("div.arithmatex, figure.made, .highlight-ipynb, .md-typeset__table")) block.tabIndex = 0
  const name = () => document.querySelectorAll(".md-code__nav").forEach((bar, k) => bar.setAttribute("aria-label", `code ${k + 1}`))
  new MutationObserver(name).observe(document.body, {childList: true, subtree: true})
  name()
})
