import {HelpDialog} from "./help_dialog.js"
import {THEME_KEY, applyTheme, copyText, element, escapeHtml, focused, icon, lifetime, onPress, onResize, opensDark, put, takesText} from "../common/dom.js"
import {SAVE_CSS, opensMenu} from "../common/menus.js"
import {unserved} from "../common/panel_stand_in.js"
import {RELEASE, saveFile} from "../common/pictures.js"

const READ = 8000 // ms that the note of a saved file is displayed
const STILL = 1500 // ms after which a page that was displayed before is considered drawn

export const Header = {css: /* css */ `${SAVE_CSS}
:host{width:100%;max-width:100vw;min-width:0;height:53px;flex:none;background:var(--lab-card);border-bottom:1px solid var(--lab-line);position:relative;z-index:50}
.root{height:52px;display:flex;align-items:center;padding:0 20px;gap:36px;position:relative;width:100%;max-width:100vw}
.brand{font-weight:700;font-size:1.0625rem;letter-spacing:.1px;display:flex;align-items:center;gap:10px;white-space:nowrap}
nav{display:flex;gap:4px;height:100%;flex:1;min-width:0;overflow:auto hidden;scrollbar-width:none;mask-image:linear-gradient(to right,transparent 0,#000 calc(22px*var(--before,0)),#000 calc(100% - 22px*var(--after,0)),transparent)}
nav button{padding:0 14px;color:var(--lab-ink2);font-size:.875rem;position:relative;white-space:nowrap}
nav button:hover{color:var(--lab-ink)}
nav button:focus-visible{outline-offset:-4px}
nav button[aria-selected=true]{color:var(--lab-ink);font-weight:700}
nav button[aria-selected=true]:after{content:"";position:absolute;left:14px;right:14px;bottom:0;height:3px;border-radius:3px 3px 0 0;background:var(--lab-primary)}
.tools{display:flex;gap:4px;align-items:center;flex:none}
.toast{position:absolute;right:112px;top:56px;background:var(--lab-ink);color:var(--lab-card);padding:6px 12px;border-radius:6px;font-size:.78125rem;opacity:0;pointer-events:none;transform:translateY(-4px);transition:opacity .15s,transform .15s;z-index:50}
.toast.shown{opacity:1;transform:none}
.more-ways{position:relative;display:flex}.more{height:32px;width:24px;margin-left:-8px;color:var(--lab-ink2);border-radius:6px;display:flex;align-items:center;justify-content:center}.more:hover{background:var(--lab-chip)}.more .icon{width:18px;height:18px}
.share-menu{right:-8px;top:38px;z-index:51}
.share-menu button{display:flex;align-items:center;gap:10px;padding:7px 14px 7px 10px;width:auto!important}.share-menu .icon{width:18px;height:18px;color:var(--lab-ink2)}
.note{position:absolute;right:16px;top:58px;width:min(400px,calc(100vw - 24px));background:var(--lab-card);border:1px solid var(--lab-line);border-radius:10px;box-shadow:var(--lab-shadow);padding:12px 14px;font-size:.8125rem;line-height:1.45;z-index:50}
.deeds{display:flex;flex-wrap:wrap;gap:8px;margin-top:10px;justify-content:flex-end}.deeds .btn{width:auto!important}
.turning{position:fixed;inset:53px 0 0;z-index:45;display:flex;flex-direction:column;align-items:center;gap:10px;padding:min(22vh,180px) 20px 0;background:var(--lab-bg);color:var(--lab-ink2);font-size:.875rem;text-align:center}.turning b{color:var(--lab-ink);font-size:1.0625rem}
.turning .bar{width:160px;height:3px;border-radius:2px;background:linear-gradient(90deg,var(--lab-track) 30%,var(--lab-primary) 50%,var(--lab-track) 70%) 0/300%;animation:turns 1.4s linear infinite}@keyframes turns{from{background-position:100%}to{background-position:0}}
.newcomer{font-weight:400}
@media (max-width: 74.99875em){.newcomer span{display:none}}
@media (max-width: 62.49875em){
.root{gap:14px;padding:0 12px}
.share span,.lessons span{display:none}.share,.lessons{padding:0;width:34px;justify-content:center;color:var(--lab-ink2);border-radius:17px}.share .icon,.lessons .icon{width:20px;height:20px}
}
@media (max-width: 54.99875em){.brand span{display:none}nav button{padding:0 11px}nav button[aria-selected=true]:after{left:11px;right:11px}}
@media (max-width: 44.99875em){
:host,.root{height:50px}
.root{padding:0 4px 0 12px;gap:6px}.brand{font-size:.9375rem;gap:6px}.brand svg{width:22px;height:22px}
nav{gap:0}nav button{padding:0 6px;font-size:.8125rem}nav button[aria-selected=true]{font-weight:400;color:var(--lab-ink2)}
nav button[aria-selected=true]:after{left:6px;right:6px}
.tools{gap:0}.tools button:not(.newcomer){width:30px}.newcomer{padding:0 8px}.tools .more{width:24px;margin-left:-2px}.tools .share{width:26px}.toast{right:12px}
}
@media (max-width: 22.49875em){.newcomer{display:none}}
`, render({model}) {
  const root = element(`<div class="root" role="banner">
    <div class="brand"><svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9.3" fill="none" stroke="var(--lab-esc)" stroke-width="1.8"/><path d="M6.5 14.5l3-5 2.6 4 2.4-6.2L17 12l4.6-3.6" fill="none" stroke="var(--lab-chain)" stroke-width="1.8" stroke-linejoin="round" stroke-linecap="round"/></svg><span title="${RELEASE}">Exit-Time Lab</span></div>
    <nav role="tablist" aria-label="Pages"></nav>
    <div class="tools"><button class="btn plain newcomer" hidden title="An introduction in five steps that play automatically">New here?<span> 40 seconds</span></button><button class="btn plain lessons" aria-label="Lessons: a guided story" title="A guided story in short lessons">${icon("school")}<span>Lessons</span></button>
      <button class="btn plain share" aria-label="Share: copy the link to this picture" title="Copy the link to this picture">${icon("share")}<span>Share</span></button><span class="more-ways"><button class="more" aria-label="More ways to share" aria-haspopup="menu" aria-expanded="false" title="More ways to share" hidden>${icon("down")}</button>
      <span class="ways share-menu" role="menu" aria-label="Ways to share" hidden></span></span>
      <button class="round theme"></button><button class="round help" aria-label="Help" aria-keyshortcuts="?" title="Help (?)">${icon("help")}</button></div>
    <div class="toast" role="status" aria-live="polite"></div><div class="note" role="status" hidden></div><div class="turning" role="status" hidden></div></div>`)
  const tools = model.get_child("tools")
  root.querySelector(".tools").prepend(...tools)
  const nav = root.querySelector("nav"), theme = root.querySelector(".theme"), toast = root.querySelector(".toast")
  const place = root.querySelector(".turning"), labelOf = key => model.tabs.find(tab => tab[0] === key)?.[1], bar = `<i class="bar"></i>`
  let turning = {}, drawn = {label: "", count: 0}

  const showTabs = () => {
    put(nav, model.tabs.map(([key, label]) => `<button role="tab" data-key="${escapeHtml(key)}">${escapeHtml(label)}</button>`).join(""))
    const tabs = [...nav.children]
    tabs.forEach((tab, k) => {
      const chosen = (turning.label ?? labelOf(model.page)) === tab.textContent
      tab.setAttribute("aria-selected", chosen)
      tab.tabIndex = chosen ? 0 : -1
      tab.onclick = () => { turn({label: tab.textContent}); model.send_msg({type: "tab", key: tab.dataset.key}) }
      tab.onkeydown = event => { // arrows move, Enter and Space choose
        const to = {ArrowRight: k + 1, ArrowLeft: k - 1 + tabs.length, Home: 0, End: tabs.length - 1}[event.key]
        if (to !== undefined) { tabs[to % tabs.length].focus(); event.preventDefault() }
      }
    })
  }
  const turn = ({label, anew = false}) => { // at the click: hide the current page and announce the next one
    if (!label || (!anew && label === (turning.label ?? labelOf(model.page)))) return
    turning = {label, since: drawn.count, reportedAt: 0}
    put(place, `<p>Opening <b>${escapeHtml(label)}</b></p>${bar}<p>Its figures and controls are being built.</p>`)
    place.hidden = false
    showToast("")
    menu.turned()
    showTabs()
  }
  const turned = ({label}) => { // the server displays a page, or none after a failure
    if (turning.label === undefined || (label && label !== turning.label)) return
    turning.reportedAt ||= performance.now()
    if (!label) put(place, "<p><b>This page could not be opened.</b></p><p>The server’s log has the reason. Choose another page, or load this one again.</p>")
    else if (drawn.label === label && (drawn.count > turning.since || performance.now() - turning.reportedAt > STILL)) {
      turning = {}
      place.hidden = true
      showTabs()
    } else requestAnimationFrame(() => turned({label})) // it is being drawn, or was displayed before
  }
  const signal = lifetime(model)
  addEventListener("lab-drawn", event => { drawn = {label: event.detail, count: drawn.count + 1} }, {signal})
  addEventListener("lab-turn", event => turn(event.detail), {signal})
  const fade = () => { // fade out overflowing tabs on the side where there are more
    nav.style.setProperty("--before", +(nav.scrollLeft > 4))
    nav.style.setProperty("--after", +(nav.scrollLeft + nav.clientWidth < nav.scrollWidth - 4))
  }
  const reveal = () => {
    const tab = nav.querySelector("[aria-selected=true]")
    if (tab) nav.scrollLeft = tab.offsetLeft - nav.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2
    fade()
  }
  nav.addEventListener("scroll", fade)
  onResize(model, reveal, nav)
  model.on(["tabs", "page"], () => { showTabs(); reveal() }); showTabs()

  let dark = opensDark()
  const showTheme = () => {
    applyTheme(dark)
    put(theme, icon(dark ? "sun" : "moon"))
    const words = dark ? "Light theme" : "Dark theme"
    theme.setAttribute("aria-label", words); theme.title = words
  }
  const reportTheme = () => model.send_msg({type: "theme", dark})
  theme.addEventListener("click", () => {
    dark = !dark
    try { localStorage.setItem(THEME_KEY, dark ? "dark" : "light") } catch { /* storage may be forbidden */ }
    showTheme(); reportTheme()
  })
  showTheme(); setTimeout(reportTheme, 0)

  let timer = null
  const showToast = words => {
    toast.textContent = words; toast.classList.toggle("shown", words !== "")
    clearTimeout(timer); timer = setTimeout(() => toast.classList.remove("shown"), 3200)
  }
  let answered = null // called with the server's answer: the link of the picture displayed at the click
  root.querySelector(".share").addEventListener("click", async () => {
    const answer = new Promise(resolve => { answered = resolve })
    model.send_msg({type: "share"})
    const link = answer.then(({share}) => Object.assign(new URL(location.href), {search: share}).href)
    const blob = link.then(text => new Blob([text], {type: "text/plain"})) // a promise: Safari requires the call within the click
    let done = false
    try { await navigator.clipboard.write([new ClipboardItem({"text/plain": blob})]); done = true } catch { done = await copyText(await link) }
    showToast(done ? (await answer).words : "Copy the link from the address bar")
  })
  const newcomer = root.querySelector(".newcomer")
  try { newcomer.hidden = tools.length > 0 || localStorage.getItem("exit-time-lab-lessons") !== null } catch { /* storage may be forbidden */ }
  newcomer.addEventListener("click", () => { newcomer.hidden = true; turn({label: labelOf("live"), anew: true}); model.send_msg({type: "opening"}) })
  root.querySelector(".lessons").addEventListener("click", () => { newcomer.hidden = true; model.send_msg({type: "lessons"}) })
  let opener = null, dialog = null // focused element at the opening of the help; the help, once its text has arrived
  const help = () => {
    opener = focused()
    if (dialog) dialog.set({open: true})
    else model.send_msg({type: "help"})
  }
  const showHelp = html => {
    const closed = () => {
      dialog.set({open: false});
      (opener?.isConnected && opener !== document.body ? opener : root.querySelector(".help")).focus()
    }
    if (!dialog) root.after((dialog = unserved(HelpDialog, {open: false, html}, {answers: {close: closed}})).host)
    dialog.set({open: true})
  }
  const menu = shareMenu(root, model)
  model.on("msg:custom", message => {
    if (message.note) menu.show(message.note)
    if (message.turn) turn(message.turn)
    if (message.turned) turned(message.turned)
    if (message.share !== undefined) answered?.(message)
    if (message.help) showHelp(message.help)
  })
  root.querySelector(".help").addEventListener("click", help)
  const keys = event => {
    if (root.isConnected && event.key === "?" && !takesText(event.composedPath()[0])) { help(); event.preventDefault() }
  }
  addEventListener("keydown", keys, {signal})
  return root
}}

/**
 * Menu next to Share with other actions on the displayed picture. The server answers with a note below it: a text, the progress of the
 * work, buttons, and a file when it is ready. See `Header.note`.
 */
function shareMenu(root, model) {
  const more = root.querySelector(".more"), menu = root.querySelector(".share-menu"), note = root.querySelector(".note")
  const open = opensMenu(more, menu, key => key === "" ? root.querySelector(".share").click() : model.send_msg({type: "action", key}))
  const entry = (key, picture, label) => `<button role="menuitem" data-key="${escapeHtml(key)}">${icon(picture)}${escapeHtml(label)}</button>`
  const list = () => {
    put(menu, [["", "share", "Copy the link"], ...model.actions].map(one => entry(...one)).join(""))
    more.hidden = model.actions.length === 0
    if (more.hidden) open(false)
  }
  let fading = 0, action = "" // action of the note
  const write = html => { put(note, html); note.hidden = !html }
  onPress(note, choice => {
    write(""); more.focus()
    if (choice !== "close") model.send_msg({type: "action", key: action, choice})
  })
  model.on("actions", list); list()

  const show = message => {
    const {words, share, buttons = [], file} = message
    clearTimeout(fading)
    action = message.action
    if (!words) { write(""); return }
    const choices = buttons.map(([key, label, main]) => `<button class="btn ${main ? "fill" : ""}" data-key="${escapeHtml(key)}">${escapeHtml(label)}</button>`).join("")
    const far = share === undefined ? "" : `<span class="so-far" aria-hidden="true"></span>`
    write(`<p>${escapeHtml(words)}${far}</p><span class="deeds">${choices}</span>`)
    if (far) note.querySelector(".so-far").textContent = `: ${Math.round(100 * share)} %` // only the percentage changes, so that the focus stays and screen readers do not announce it
    if (!file) return
    saveFile(file.name, new Blob([file.html], {type: "text/html"}))
    model.send_msg({type: "saved"})
    fading = setTimeout(() => { if (!note.matches(":hover, :focus-within")) write("") }, READ)
  }
  return {show, turned: () => { if (!note.querySelector(".so-far")) write("") }} // running work is displayed on every page
}
