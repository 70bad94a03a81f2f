export function render({model}) {
  const root = element(`<aside class="root" aria-label="Knobs">
    <div class="grip only-phone"><span></span><h2>Knobs</h2><button class="round close" aria-label="Close the knobs">${icon("close")}</button></div></aside>`)
  root.append(...model.get_child("sections"))
  root.querySelector(".close").addEventListener("click", () => document.dispatchEvent(new CustomEvent("lab-knobs", {detail: null})))
  return root
}
