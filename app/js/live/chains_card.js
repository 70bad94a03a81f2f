import {element, icon, segmented} from "../common/dom.js"
import {CARD_CSS} from "../common/styles.js"

export const ChainsCard = {css: /* css */ `${CARD_CSS}
.card>header{flex-wrap:wrap;gap:0 10px;padding:0 8px 0 14px;min-height:44px}
.hint{color:var(--lab-ink2);font-size:.75rem;line-height:1.2;flex:1;min-width:8ch}
.save{margin-left:-6px}
.card.with-axes>header{gap:0 6px}
.with-axes .hint,.with-axes .by{display:none}.with-axes .axes{margin-left:auto}
.canvas{flex:1;min-height:0;position:relative}
.canvas>*{position:absolute!important;inset:0;width:100%!important;height:100%!important;margin:0!important}
@media (max-width: 44.99875em){
.card>header{position:absolute;right:4px;top:4px;z-index:2;padding:0;height:auto;left:auto}
h2,.hint,.by{display:none}.save{margin:0;background:var(--lab-card);opacity:.92}
.seg{opacity:.92}.seg button{padding:3px 8px;font-size:.71875rem}
}
`, render({model}) {
  const root = element(`<section class="card" aria-label="Chains">
    <header><h2></h2><span class="hint"></span><span class="axes"></span>
      <span class="seg" role="radiogroup" aria-label="View"><button role="radio" data-value="false">As is</button><button role="radio" data-value="true">Rescaled<span class="by"> by √(t + c)</span></button></span>
      <button class="round save" aria-label="Save the picture as PNG" title="Save the picture as PNG">${icon("save")}</button></header>
    <div class="canvas"></div></section>`)
  const title = root.querySelector("h2"), hint = root.querySelector(".hint"), axes = root.querySelector(".axes")
  const show = () => {
    title.textContent = model.title; hint.textContent = model.hint; hint.title = model.hint
    axes.style.display = model.has_axes ? "" : "none"
    root.classList.toggle("with-axes", model.has_axes)
  }
  const select = segmented(root.querySelector(".seg"), value => model.send_msg({type: "view", rescaled: value === "true"}))
  const view = () => select(model.rescaled)
  model.on(["title", "hint", "has_axes"], show)
  model.on("rescaled", view)
  root.querySelector(".canvas").append(model.get_child("canvas"))
  const choice = model.get_child("axes")
  if (choice) axes.append(choice)
  root.querySelector(".save").addEventListener("click", () => model.send_msg({type: "save"}))
  show(); view()
  return root
}}
