export function render({model}) {
  const root = element(`<section class="root" aria-label="Knobs">
    <div class="grip only-phone"><span></span><h2>Knobs</h2><button class="round close" aria-label="Close the knobs">${icon("close")}</button></div></section>`)
  root.append(...model.get_child("sections"))
  root.querySelector(".close").addEventListener("click", () => tellKnobs(root))
  return root
}
