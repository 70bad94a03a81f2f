// Style sheets of components, each created once per document, and the font Roboto.
import {SAVE_CSS} from "./menus.js"
import greek from "@fontsource/roboto/files/roboto-greek-400-normal.woff2"
import greekBold from "@fontsource/roboto/files/roboto-greek-700-normal.woff2"
import latin from "@fontsource/roboto/files/roboto-latin-400-normal.woff2"
import latinBold from "@fontsource/roboto/files/roboto-latin-700-normal.woff2"

const SHARED_CSS = /* css */ `
*{box-sizing:border-box}
:host{font:400 .8125rem/1.4 Roboto,Arial,sans-serif;color:var(--lab-ink);-webkit-font-smoothing:antialiased}
:host([hidden]),[hidden]{display:none!important}
button,input,select{font:inherit;color:inherit}
button{background:none;border:0;padding:0;margin:0;cursor:pointer}
h1,h2,h3,p{margin:0;font-weight:400}
sub,sup{font-size:.72em;line-height:0}
:focus{outline:none}
:focus-visible{outline:2px solid var(--lab-primary);outline-offset:2px;border-radius:4px}
.icon{width:20px;height:20px;fill:currentColor;flex:none;display:block}
.btn{display:inline-flex;align-items:center;gap:6px;color:var(--lab-primary);font-size:.8125rem;font-weight:700;padding:0 12px;height:32px;border-radius:6px;border:1px solid var(--lab-line);background:var(--lab-card);white-space:nowrap;transition:background .12s,border-color .12s}
.btn .icon{width:16px;height:16px}
.btn.plain{border-color:transparent;background:none}
.btn:hover{background:var(--lab-chip)}
.btn.fill{background:var(--lab-primary);color:var(--lab-on);border-color:var(--lab-primary)}
.round{width:34px;height:34px;border-radius:17px;display:inline-flex;align-items:center;justify-content:center;color:var(--lab-ink2)}
.round:hover{background:var(--lab-chip);color:var(--lab-ink)}
.round:focus-visible{border-radius:17px}
.seg{display:inline-flex;flex-wrap:wrap;max-width:100%;border:1px solid var(--lab-line);border-radius:6px;overflow:hidden;font-size:.75rem;white-space:nowrap;background:var(--lab-card);flex:none}
.seg button,button.link,th button,.chip{min-height:24px}
button.link{min-width:24px}
.seg button{padding:4px 10px;color:var(--lab-ink2);line-height:1.4}
.seg button:hover{color:var(--lab-ink)}
.seg button[aria-checked=true]{background:var(--lab-chip);color:var(--lab-ink);font-weight:700}
.seg button:focus-visible{outline-offset:-2px}
.card{background:var(--lab-card);border:1px solid var(--lab-line);border-radius:10px;position:relative;overflow:hidden;height:100%;width:100%}
.range{-webkit-appearance:none;appearance:none;width:100%;height:24px;margin:-3px 0;background:none;cursor:pointer;display:block;--fill:0%;--c:var(--lab-primary)}
.range::-webkit-slider-runnable-track{height:3px;border-radius:2px;background:linear-gradient(to right,var(--c) var(--fill),var(--lab-track) var(--fill))}
.range::-moz-range-track{height:3px;border-radius:2px;background:linear-gradient(to right,var(--c) var(--fill),var(--lab-track) var(--fill))}
.range::-webkit-slider-thumb{-webkit-appearance:none;width:13px;height:13px;margin-top:-5px;border-radius:50%;background:var(--c);border:0;transition:box-shadow .12s}
.range::-moz-range-thumb{width:13px;height:13px;border-radius:50%;background:var(--c);border:0}
.range:hover::-webkit-slider-thumb{box-shadow:0 0 0 5px color-mix(in srgb,var(--c) 14%,transparent)}
.range:active::-webkit-slider-thumb{box-shadow:0 0 0 8px color-mix(in srgb,var(--c) 18%,transparent)}
.range:focus-visible{outline:none}
.range:focus-visible::-webkit-slider-thumb{box-shadow:0 0 0 2px var(--lab-card),0 0 0 4px var(--c)}
.range:focus-visible::-moz-range-thumb{box-shadow:0 0 0 2px var(--lab-card),0 0 0 4px var(--c)}
.error{padding:4px 7px;border:1px solid var(--lab-hot);border-radius:4px;background:var(--lab-hotbg)}
.unseen,.spoken{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.only-phone{display:none!important}
[role=progressbar]{height:3px;overflow:hidden;background:var(--lab-track)}
[role=progressbar] i{display:block;height:100%;background:var(--lab-primary);transition:width .15s}
.endless i{animation:run 1.2s infinite ease-in-out}
@keyframes run{from{transform:translateX(-100%)}to{transform:translateX(340%)}}
@media (max-width: 44.99875em){.only-wide{display:none!important}.only-phone{display:inline-flex!important}}
@media (prefers-reduced-motion:reduce){*,::before,::after{transition:none!important;animation:none!important}}
@media (forced-colors:active){
.range,.track,.fill,.thumb{forced-color-adjust:none;--c:Highlight}
.range::-webkit-slider-runnable-track{background:linear-gradient(to right,Highlight var(--fill),GrayText var(--fill))}
.range::-moz-range-track{background:linear-gradient(to right,Highlight var(--fill),GrayText var(--fill))}
.range::-webkit-slider-thumb,.thumb::-webkit-slider-thumb{background:Highlight}
.track{background:GrayText}.fill{background:Highlight}
.range:focus-visible,.thumb:focus-visible{outline:2px solid Highlight;outline-offset:2px}
[aria-checked=true],[aria-pressed=true],[aria-selected=true],[aria-current]{outline:2px solid Highlight;outline-offset:-2px}
.icon,.mark{forced-color-adjust:none}.icon{fill:CanvasText}.btn .icon,button .icon{fill:ButtonText}
.bar i,.bar u{forced-color-adjust:none}
.play,.badge,.btn.fill{border:1px solid ButtonText}
.figure,.canvas{forced-color-adjust:none;background:var(--lab-card)}
}
`

export const FOLD_CSS = "summary{font-size:.75rem;line-height:1.45;color:var(--lab-primary);padding:3px 0;min-height:24px;width:fit-content;cursor:pointer}"

/** Style of a box for a typed number. */
export const BOX_CSS = /* css */ `
.box{min-width:4ch;min-height:24px;font-variant-numeric:tabular-nums;border:1px solid var(--lab-line);border-radius:4px;text-align:right;background:var(--lab-card);transition:border-color .12s}
.box:hover{border-color:var(--lab-axis)}
.box:focus{border-color:var(--lab-primary);outline:1px solid var(--lab-primary);outline-offset:0}
.wrong .box{border-color:var(--lab-hot);background:var(--lab-hotbg)}
`

/** Style of a bar above a page's cards with readouts at its end; on a phone it is at the foot, with the readouts above the cards. */
export const TOP_BAR_CSS = /* css */ `
.root{min-height:60px;display:flex;align-items:center;padding:0 20px;gap:8px;background:var(--lab-card);border-bottom:1px solid var(--lab-line)}
.bar{display:flex;align-items:center;min-width:0}
.rule{width:1px;height:32px;background:var(--lab-line);margin:0 10px;flex:none}
.readouts{display:flex;align-items:center;flex:none}
.ro{display:flex;flex-direction:column;justify-content:center}
.ro .l{font-size:.6875rem;color:var(--lab-ink2);line-height:1.25;white-space:nowrap}
.ro .v{font-size:1.3125rem;line-height:1.15;font-variant-numeric:tabular-nums;white-space:nowrap}
@media (max-width: 44.99875em){
.root{min-height:0;display:block;background:none;border:0;padding:0!important}
.readouts{justify-content:space-between;padding:10px 16px 0}
.ro{min-width:0!important}.ro .v{font-size:1.125rem}
.bar{position:fixed;left:0;right:0;bottom:0;min-height:calc(100px + env(safe-area-inset-bottom,0px));padding:4px 14px env(safe-area-inset-bottom,0px);flex-wrap:wrap;align-content:space-evenly;background:var(--lab-card);border-top:1px solid var(--lab-line);box-shadow:0 -4px 16px rgba(20,32,48,.06);z-index:30}
.knobs{height:38px}
}
`

/** Style of play buttons, and of captions above a slider. */
export const PLAYER_CSS = /* css */ `
.play{width:40px;height:40px;border-radius:50%;background:var(--lab-primary);color:var(--lab-on);display:flex;align-items:center;justify-content:center;flex:none;transition:filter .12s}
.play:hover{filter:brightness(1.1)}.play:focus-visible{border-radius:50%}
.tool{color:var(--lab-ink);font-weight:400;padding:0 11px 0 8px;height:34px}
.tool .icon{width:18px;height:18px;fill:var(--lab-ink2)}
.cap{font-size:.6875rem;color:var(--lab-ink2);line-height:1.25}
.cap b{color:var(--lab-ink)}
`

/** Style of a card with a head: title, subtitle, progress above it, and save buttons. */
export const CARD_CSS = /* css */ `
.card{display:flex;flex-direction:column;min-height:0}
.card>header{display:flex;align-items:center;gap:10px;padding:8px 12px 0 14px;min-height:36px;flex:none}
h2{font-size:.875rem;font-weight:700;white-space:nowrap}
.sub{color:var(--lab-ink2);font-size:.75rem;line-height:1.25;flex:1;min-width:0}
.working{color:var(--lab-primary);font-size:.75rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;flex:0 1 auto;min-width:0}.working:empty{display:none}
.bar{position:absolute;left:0;right:0;top:0;visibility:hidden;z-index:3}
${SAVE_CSS}${FOLD_CSS}`

const sheets = new Map()

/** Return the style sheet of a CSS text. */
export function sheetOf(css) {
  if (!sheets.has(css)) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    sheets.set(css, sheet)
  }
  return sheets.get(css)
}

/** Return a component whose `render` first adds the shared style sheet and its own to the shadow root. */
export function styled({render, css}) {
  return {
    render(props) {
      const root = props.view.shadow_el
      const more = [SHARED_CSS, css].map(sheetOf).filter(sheet => !root.adoptedStyleSheets.includes(sheet))
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, ...more]
      props.view.model?.document?.create_json_patch([]) // else Bokeh would include the last changes, the entire page, in the next patch
      return render(props)
    },
  }
}

// Two weights, Latin and Greek, from the bundle, without a request. Other characters use the system's fonts.
const LATIN = "U+0000-00FF,U+2000-206F,U+2122,U+2191,U+2193,U+2212,U+2215", GREEK = "U+0370-03FF"

for (const [data, weight, unicodeRange] of [[latin, "400", LATIN], [latinBold, "700", LATIN], [greek, "400", GREEK], [greekBold, "700", GREEK]]) {
  const face = new FontFace("Roboto", data, {weight, unicodeRange, display: "swap"})
  document.fonts.add(face)
  face.load().catch(() => {}) // text then stays in the fallback font
}
