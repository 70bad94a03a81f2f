const STILL = 1500 // ms after which a page that stood there all the time is taken for drawn

export function render({model}) {
  giveColours(model.variables)
  const root = element(`<div class="root">
    <div class="brand"><svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9.3" fill="none" stroke="var(--lab-esc)" stroke-width="1.8"/><path d="M6.5 14.5l3-5 2.6 4 2.4-6.2L17 12l4.6-3.6" fill="none" stroke="var(--lab-chain)" stroke-width="1.8" stroke-linejoin="round" stroke-linecap="round"/></svg><span title="${RELEASE}">Exit-Time Lab</span></div>
    <nav role="tablist" aria-label="Pages"></nav>
    <div class="tools"><button class="btn plain newcomer" hidden title="What is all this? Five steps that play by themselves">New here?<span> 40 seconds</span></button><button class="btn plain lessons" aria-label="Lessons: a guided story" title="A guided story in short lessons">${icon("school")}<span>Lessons</span></button>
      <button class="btn plain share" aria-label="Share: copy the link to this very picture" title="Copy the link to this very picture">${icon("share")}<span>Share</span></button><span class="more-ways"><button class="more" aria-label="More ways to share" aria-haspopup="menu" aria-expanded="false" title="More ways to share" hidden>${icon("down")}</button>
      <span class="share-menu" role="menu" aria-label="Ways to share" hidden><button role="menuitem" class="copy">${icon("share")}Copy the link</button><button role="menuitem" class="save">${icon("save")}Save as a page</button></span></span>
      <button class="round theme"></button><button class="round help" aria-label="Help" aria-keyshortcuts="?" title="Help (?)">${icon("help")}</button></div>
    <div class="toast" role="status" aria-live="polite"></div><div class="saving" role="status" hidden></div><div class="turning" role="status" hidden></div></div>`)
  const tool = model.get_child("tool")
  if (tool) root.querySelector(".tools").prepend(tool)
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
  const turn = ({label, anew = false}) => { // at the click: what stood here is no longer on show, and words say what comes
    if (!label || (!anew && label === (turning.label ?? labelOf(model.page)))) return
    turning = {label, since: drawn.count, told: 0}
    put(place, `<p>Opening <b>${escapeHtml(label)}</b></p>${bar}<p>Its figures and controls are being built.</p>`)
    place.hidden = false
    say("")
    saving({state: "turned"})
    showTabs()
  }
  const turned = ({label}) => { // the server has put a page in front; failed: none
    if (turning.label === undefined || (label && label !== turning.label)) return
    turning.told ||= performance.now()
    if (!label) put(place, "<p><b>This page could not be opened.</b></p><p>The server’s log says why. Choose another page, or load this one again.</p>")
    else if (drawn.label === label && (drawn.count > turning.since || performance.now() - turning.told > STILL)) {
      turning = {}
      place.hidden = true
      showTabs()
    } else requestAnimationFrame(() => turned({label})) // it is on its way, or has stood there all the time
  }
  const note = event => { drawn = {label: event.detail, count: drawn.count + 1} }
  const heard = event => turn(event.detail)
  addEventListener("lab-drawn", note); addEventListener("lab-turn", heard)
  model.on("remove", () => { removeEventListener("lab-drawn", note); removeEventListener("lab-turn", heard) })
  const fade = () => { // tabs that do not fit fade out on the side where there are more
    nav.style.setProperty("--before", +(nav.scrollLeft > 4))
    nav.style.setProperty("--after", +(nav.scrollLeft + nav.clientWidth < nav.scrollWidth - 4))
  }
  const reveal = () => {
    const tab = nav.querySelector("[aria-selected=true]")
    if (tab) nav.scrollLeft = tab.offsetLeft - nav.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2
    fade()
  }
  nav.addEventListener("scroll", fade)
  const room = new ResizeObserver(reveal)
  room.observe(nav)
  model.on("remove", () => room.disconnect())
  model.on(["tabs", "page"], () => { showTabs(); reveal() }); showTabs()

  let dark = opensDark()
  const showTheme = () => {
    wear(dark)
    put(theme, icon(dark ? "sun" : "moon"))
    const words = dark ? "Light theme" : "Dark theme"
    theme.setAttribute("aria-label", words); theme.title = words
    model.send_msg({type: "theme", dark})
  }
  theme.addEventListener("click", () => {
    dark = !dark
    try { localStorage.setItem(KEY, dark ? "dark" : "light") } catch { /* storage may be forbidden */ }
    showTheme()
  })
  setTimeout(showTheme, 0)
  wear(dark)
  put(theme, icon(dark ? "sun" : "moon"))

  let timer = null
  const say = words => {
    toast.textContent = words; toast.classList.toggle("shown", words !== "")
    clearTimeout(timer); timer = setTimeout(() => toast.classList.remove("shown"), 3200)
  }
  const byHand = link => { // where the clipboard is closed: a page that is neither local nor encrypted
    const box = document.createElement("textarea")
    box.value = link; document.body.append(box); box.select()
    const done = document.execCommand("copy")
    box.remove()
    return done
  }
  let answered = null // takes the server's answer: the link of the picture that was on show at the click
  root.querySelector(".share").addEventListener("click", async () => {
    const answer = new Promise(resolve => { answered = resolve })
    model.send_msg({type: "share"})
    const link = answer.then(({share}) => Object.assign(new URL(location.href), {search: share}).href)
    const blob = link.then(text => new Blob([text], {type: "text/plain"})) // promised: Safari asks for it within the click
    let done = false
    try { await navigator.clipboard.write([new ClipboardItem({"text/plain": blob})]); done = true } catch {
      try { await navigator.clipboard.writeText(await link); done = true } catch { done = byHand(await link) }
    }
    say(done ? (await answer).words : "Copy the link from the address bar")
  })
  const newcomer = root.querySelector(".newcomer")
  try { newcomer.hidden = Boolean(tool) || localStorage.getItem("exit-time-lab-lessons") !== null } catch { /* storage may be forbidden */ }
  newcomer.addEventListener("click", () => { newcomer.hidden = true; turn({label: labelOf("live"), anew: true}); model.send_msg({type: "opening"}) })
  root.querySelector(".lessons").addEventListener("click", () => { newcomer.hidden = true; model.send_msg({type: "lessons"}) })
  let opener = null // what had the focus when the help was opened
  const help = () => {
    opener = document.activeElement
    while (opener?.shadowRoot?.activeElement) opener = opener.shadowRoot.activeElement
    model.send_msg({type: "help"})
  }
  const saving = savePage(root, model)
  model.on("msg:custom", message => {
    if (message.saving) saving(message.saving)
    if (message.turn) turn(message.turn)
    if (message.turned) turned(message.turned)
    if (message.share !== undefined) answered?.(message)
    if (message.help === "closed") (opener?.isConnected && opener !== document.body ? opener : root.querySelector(".help")).focus()
  })
  root.querySelector(".help").addEventListener("click", help)
  const keys = event => {
    if (!root.isConnected) { removeEventListener("keydown", keys); return }
    if (event.key === "?" && !event.composedPath()[0].matches?.("input:not([type=range]), textarea")) { help(); event.preventDefault() }
  }
  addEventListener("keydown", keys)
  model.on("remove", () => { removeEventListener("keydown", keys); clearTimeout(timer) })
  return root
}
