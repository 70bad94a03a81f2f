import {ICONS, copyText, element, escapeHtml, icon, lifetime, put} from "../common/dom.js"

ICONS.people = "M16 11c1.66 0 2.99-1.34 2.99-3S17.66 5 16 5s-3 1.34-3 3 1.34 3 3 3zm-8 0c1.66 0 2.99-1.34 2.99-3S9.66 5 8 5 5 6.34 5 8s1.34 3 3 3zm0 2c-2.33 0-7 1.17-7 3.5V19h14v-2.5c0-2.33-4.67-3.5-7-3.5zm8 0c-.29 0-.62.02-.97.05 1.16.84 1.97 1.97 1.97 3.45V19h6v-2.5c0-2.33-4.67-3.5-7-3.5z"

export const ClassPanel = {css: /* css */ `
:host{width:auto!important;flex:none}
.root{position:relative}
.open{color:var(--lab-ink)}
.open .icon{color:var(--lab-primary)}
.open b{letter-spacing:.5px}
.count{min-width:20px;height:20px;border-radius:10px;padding:0 6px;background:var(--lab-primary);color:var(--lab-on);font-size:.75rem;line-height:1.66667;text-align:center;font-variant-numeric:tabular-nums}
.panel{position:fixed;right:16px;top:56px;width:380px;max-width:calc(100vw - 16px);background:var(--lab-card);border:1px solid var(--lab-line);border-radius:12px;box-shadow:var(--lab-shadow);padding:16px 20px;z-index:60;white-space:normal}
h2{font-size:1rem;font-weight:700;margin:0 0 8px}
.panel p{margin:0 0 10px;line-height:1.45}
.code{font-size:3.25rem;line-height:1.23077;font-weight:700;letter-spacing:4px;text-align:center;font-variant-numeric:tabular-nums;background:var(--lab-chip);border-radius:8px;margin-bottom:10px}
.link{overflow-wrap:anywhere}
.copy{height:26px;margin-left:4px}
form{display:flex;gap:8px;align-items:flex-end;margin-bottom:10px}
label{flex:1;font-size:.75rem;color:var(--lab-ink2)}
.box{display:block;width:100%;height:36px;margin-top:4px;padding:0 10px;border:1px solid var(--lab-line);border-radius:6px;background:var(--lab-card);color:var(--lab-ink);font-size:1.125rem;letter-spacing:2px;text-transform:uppercase}
.box:focus-visible{outline:2px solid var(--lab-primary);outline-offset:0}
form .btn{height:36px}
.wrong{color:var(--lab-hot)}
.wrong:empty{display:none}
@media (max-width: 62.49875em){.open>span:not(.count){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.open{padding:0 6px}}
`, render({model}) {
  const root = element(`<div class="root"><button class="btn plain open" aria-expanded="false" aria-controls="class-panel"></button>
    <section class="panel" id="class-panel" role="dialog" aria-label="Class" hidden></section></div>`)
  const open = root.querySelector(".open"), panel = root.querySelector(".panel")
  const {role} = model
  const spaced = code => `${code.slice(0, 3)} ${code.slice(3)}`
  const link = () => `${location.origin}${location.pathname}?class=${model.code}`
  const students = n => n === 1 ? "student" : "students"

  const bodies = {
    teacher: () => `<h2>Your class</h2><div class="code" aria-label="Class code ${escapeHtml(model.code)}">${escapeHtml(spaced(model.code))}</div>
      <p>Students open <b class="link">${escapeHtml(link())}</b> or type the code at “Join the class”. <button class="btn copy">Copy the link</button></p>
      <p>They see your knobs, lesson and epoch, each with different chains. Their answers are counted anonymously on your lesson’s card.</p>
      <p>If you close this page, the class pauses; reopen it in this browser to resume from the same epoch.</p>`,
    visitor: () => `<h2>Join the class</h2><form><label>Code on the teacher’s screen<input class="box" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="12" placeholder="ABC 234"></label>
      <button class="btn fill" type="submit">Join</button></form>`,
    student: () => model.inside
      ? `<h2>Class ${escapeHtml(spaced(model.code))}</h2><p>Your page follows your teacher’s. You may leave at any time; your place is kept.</p><button class="btn leave">Leave the class</button>`
      : `<h2>Class ${escapeHtml(spaced(model.code))}</h2><p>You have left the class.</p><button class="btn fill back">Back to the class</button>`,
  }
  const labels = {
    teacher: () => `${icon("people")}<span>Class <b>${escapeHtml(spaced(model.code))}</b></span><span class="count" title="${model.present} ${students(model.present)} here">${model.present}<span class="unseen"> ${students(model.present)} here</span></span>`,
    visitor: () => `${icon("people")}<span>Join the class</span>`,
    student: () => `${icon("people")}<span>${model.inside ? `Class <b>${escapeHtml(spaced(model.code))}</b>` : "Back to the class"}</span>`,
  }

  const toggle = on => {
    panel.hidden = !on
    open.setAttribute("aria-expanded", on)
    if (on) panel.querySelector("input")?.focus()
  }
  const fill = () => {
    put(panel, `${bodies[role]()}<p class="wrong" role="alert"></p>`)
    panel.querySelector(".wrong").textContent = model.words
    const on = (selector, act) => panel.querySelector(selector)?.addEventListener("click", act)
    on(".leave", () => { toggle(false); open.focus(); model.send_msg({type: "leave"}) })
    on(".back", () => { toggle(false); open.focus(); model.send_msg({type: "back"}) })
    on(".copy", async event => {
      const done = await copyText(link())
      if (!done) getSelection().selectAllChildren(panel.querySelector(".link"))
      event.target.textContent = done ? "Copied" : "Select and copy it"
    })
    panel.querySelector("form")?.addEventListener("submit", event => {
      event.preventDefault()
      model.send_msg({type: "join", code: panel.querySelector("input").value})
    })
  }
  const label = () => put(open, labels[role]())
  open.addEventListener("click", () => toggle(panel.hidden))
  model.on(["present", "inside"], label); label()
  model.on("inside", fill); fill()
  model.on("words", () => {
    panel.querySelector(".wrong").textContent = model.words
    if (model.words) toggle(true)
  })
  model.on("msg:custom", ({right}) => {
    if (right === undefined) return
    if (!right) { panel.querySelector("input")?.select(); return }
    const typed = panel.querySelector("input").value.toUpperCase().replace(/[^A-Z0-9]/g, "")
    location.assign(`${location.pathname}?class=${typed}`)
  })
  const away = event => { if (!event.composedPath().includes(root)) toggle(false) }
  const escape = event => { if (event.key === "Escape" && !panel.hidden) { toggle(false); open.focus(); event.stopPropagation() } }
  const signal = lifetime(model)
  addEventListener("pointerdown", away, {signal}); addEventListener("keydown", escape, {signal, capture: true})

  const keep = (name, value, site) => { // sent only with this page's path, so that a reload resumes the role
    const secure = location.protocol === "https:" ? "; Secure" : ""
    if (value) document.cookie = `exit_time_lab_${name}=${value}; Path=${location.pathname}; SameSite=${site}${secure}`
  }
  keep("teacher", model.secret, "Strict")
  keep("seat", model.seat, "Lax") // the same chains and answers, also after a link from another site
  if (model.words) toggle(true)
  return root
}}
