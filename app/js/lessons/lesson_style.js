export const LESSON_CSS = /* css */ `
:host{position:absolute!important;left:0;top:0;width:0!important;height:0!important;min-height:0!important;margin:0!important;z-index:auto!important}
.layer{position:fixed;inset:0;pointer-events:none;z-index:36;overflow:hidden}
.ring{position:absolute;border:2px solid var(--lab-ink);border-radius:10px;box-shadow:0 0 0 5px color-mix(in srgb,var(--lab-ink) 10%,transparent);display:none}
.ring.shown{display:block}
.ring[data-bare]{border-color:transparent;box-shadow:none}
.badge{position:relative;z-index:1;display:inline-flex;width:19px;height:19px;border-radius:10px;background:var(--lab-ink);color:var(--lab-card);font-size:.71875rem;font-weight:700;align-items:center;justify-content:center;vertical-align:1px;margin:0 2px;line-height:1}
.layer .badge{position:absolute;width:22px;height:22px;border-radius:11px;font-size:.8125rem;margin:0;box-shadow:0 0 0 3px var(--lab-card)}
.cover{position:absolute;display:none;align-items:center;justify-content:center;text-align:center;padding:8px;background:var(--lab-chip);color:var(--lab-ink2);font-size:.75rem;pointer-events:auto;overflow:hidden}
.cover.shown{display:flex}
.beat{animation:beat .5s ease-out 2}
@keyframes beat{50%{box-shadow:0 0 0 12px color-mix(in srgb,var(--lab-ink) 18%,transparent)}}
.lesson{position:fixed;left:16px;bottom:14px;width:566px;max-width:calc(100vw - 16px);max-height:min(560px,calc(100vh - 130px));display:flex;flex-direction:column;background:var(--lab-card);border:1px solid var(--lab-line);border-radius:12px;box-shadow:var(--lab-shadow);z-index:37;animation:rise .18s ease-out}
@keyframes rise{from{transform:translateY(8px);opacity:0}}
header{display:flex;align-items:center;gap:10px;color:var(--lab-ink2);font-size:.75rem;padding:12px 12px 0 20px;flex:none}
.dashes{display:flex;gap:5px}
.dashes i{width:18px;height:4px;border-radius:2px;background:var(--lab-track)}
.dashes i.done{background:var(--lab-primary)}
.badge[aria-current]{background:var(--lab-primary);color:var(--lab-on)}
h3{font-size:.84375rem;font-weight:700;margin:0 0 6px}
.pointing{display:none;padding:2px 16px 10px 20px}
.point .pointing{display:block}
.point .scroll,.point .now,.point footer,.folded .scroll,.folded .now,.folded footer{display:none}
.said{display:flex;gap:8px;line-height:1.45;font-size:.84375rem;max-height:132px;overflow:auto}
.pointing nav{display:flex;gap:4px;align-items:center;margin-top:2px}
.pointing .round[aria-disabled=true]{opacity:.3;cursor:default}
.pointing .whole{margin-left:auto}
.fold{display:none}
.list{margin-right:-8px}
header .round{width:32px;height:32px}
.hints small{display:block;color:var(--lab-ink2);font-size:.75rem}
.contents{position:fixed;right:16px;top:62px;width:460px;max-width:calc(100vw - 16px);max-height:calc(100vh - 84px);display:flex;flex-direction:column;background:var(--lab-card);border:1px solid var(--lab-line);border-radius:12px;box-shadow:var(--lab-shadow);z-index:1250;animation:rise .18s ease-out}
.contents header{padding:12px 10px 0 20px}
.contents header h2{flex:1;margin:0}
.contents>p{padding:2px 20px 10px;color:var(--lab-ink2);font-size:.78125rem}
.bar{height:3px;background:var(--lab-track);margin:0 20px 8px;border-radius:2px;flex:none}
.bar i{display:block;height:3px;border-radius:2px;background:var(--lab-primary)}
.contents ol{list-style:none;margin:0;padding:0 10px 12px;overflow:auto;scrollbar-width:thin;scrollbar-color:var(--lab-track) transparent}
.contents .line{display:flex;gap:10px;align-items:center;width:100%;text-align:left;padding:7px 10px;border-radius:8px;white-space:normal}
.contents .line:hover{background:var(--lab-chip)}
.contents .line>i{font-style:normal;width:20px;text-align:right;color:var(--lab-ink2);font-variant-numeric:tabular-nums}
.contents .line span{flex:1;min-width:0}
.contents .line b{display:block;font-size:.84375rem;line-height:1.35}
.contents .line small{color:var(--lab-ink2);font-size:.75rem}
.contents .line[aria-current]{background:var(--lab-chip)}
.contents .line[data-next] b{color:var(--lab-primary)}
.contents .done .icon{color:var(--lab-ok)}
.contents .seen .icon{color:var(--lab-ink3)}
@media (min-width: 75em){.lesson.left{max-height:388px}}
@media (min-width: 75em) and (min-height:860px){.lesson.left{max-height:436px}}
.scroll{overflow:hidden auto;padding:0 20px;flex:1;min-height:0;background:linear-gradient(var(--lab-card),var(--lab-card)) bottom/100% 14px no-repeat local,linear-gradient(transparent,color-mix(in srgb,var(--lab-ink) 16%,transparent)) bottom/100% 9px no-repeat scroll;scrollbar-width:thin;scrollbar-color:var(--lab-track) transparent}
h2{margin:0 0 6px;font-size:1.125rem;line-height:1.33334;font-weight:700}
h2:focus-visible{outline:none}
h2 small{font-size:.6875rem;letter-spacing:.6px;text-transform:uppercase;color:var(--lab-primary);margin-right:6px}
.text p{margin:0 0 9px;line-height:1.5;font-size:.84375rem}
.now{display:flex;flex-wrap:wrap;gap:3px 14px;font-size:.75rem;color:var(--lab-ink2);margin:0 20px;padding-top:8px;border-top:1px solid var(--lab-line);flex:none;font-variant-numeric:tabular-nums}
.scroll .now{margin:0 0 10px;padding:0;border:0}
.now:empty{display:none}
.now i{font-style:normal;font-size:.6875rem;letter-spacing:.6px;text-transform:uppercase}
.now b{color:var(--lab-ink)}
.now em{font-style:normal;color:var(--lab-primary)}
.question{background:var(--lab-chip);border-radius:8px;padding:10px 12px 12px;margin-bottom:4px;position:relative}
.question.waits>:not(.wait){visibility:hidden}
.wait{position:absolute;inset:10px 12px auto;margin:0;line-height:1.4}
.wait:empty{display:none}
.question>b{display:block;margin-bottom:8px;line-height:1.4}
.chips{display:flex;flex-wrap:wrap;gap:8px}
.chip{border:1px solid var(--lab-line);background:var(--lab-card);border-radius:16px;padding:5px 13px;font-size:.8125rem;text-align:left;transition:border-color .12s}
.chip:hover{border-color:var(--lab-axis)}
.chip:focus-visible{border-radius:16px}
.chip.right{border-color:var(--lab-ok);background:var(--lab-okbg);color:var(--lab-ok);font-weight:700}
.chip.wrong{border-color:var(--lab-hot);background:var(--lab-hotbg);color:var(--lab-hot);font-weight:700}
.why{display:flex;gap:8px;line-height:1.45}
.why:not(:empty){margin-top:10px}
.why .icon{width:18px;height:18px}
.why.good .icon,.why.good b{color:var(--lab-ok)}
.why.bad .icon,.why.bad b{color:var(--lab-hot)}
.why span b:first-child{font-weight:700}
.poll{margin-top:10px}
.poll ol{list-style:none;margin:0 0 8px;padding:0;display:grid;gap:5px}
.poll li{display:grid;grid-template-columns:minmax(0,1fr) minmax(60px,38%) 24px;gap:10px;align-items:center;font-size:.78125rem;line-height:1.3}
.poll li b{text-align:right;font-variant-numeric:tabular-nums}
.poll .track{height:8px;border-radius:4px;background:var(--lab-track);overflow:hidden}
.poll .track i{display:block;height:100%;background:var(--lab-primary);transition:width .3s}
.poll .right{color:var(--lab-ok)}.poll .right .track i{background:var(--lab-ok)}
.poll .icon{width:15px;height:15px;display:inline-block;vertical-align:-2px;margin-left:4px}
.line-under{display:flex;gap:10px;align-items:center;justify-content:space-between;color:var(--lab-ink2);font-size:.78125rem}
.chip[aria-pressed=true]:not(.right,.wrong){border-color:var(--lab-primary);color:var(--lab-primary);font-weight:700}
.hints{list-style:none;margin:0;padding:0;display:grid;gap:8px;counter-reset:hint}
.hints li{display:flex;gap:10px;align-items:flex-start;background:var(--lab-chip);border-radius:8px;padding:9px 10px 9px 12px;line-height:1.45}
.hints li>div{flex:1}
.hints .do{height:28px;align-self:center}
.badges{display:inline-flex;flex-wrap:wrap;gap:2px;padding-top:1px}
.badges:empty{display:none}
footer{display:flex;gap:8px;align-items:center;padding:10px 20px 14px;flex:none}
.gap{flex:1}
.back,.read{padding:0 8px 0 0}
.btn:disabled{color:var(--lab-ink3);cursor:default;background:none}
.turned{transform:scaleX(-1);display:inline-flex}
@media (max-width: 74.99875em){
.lesson{max-height:min(420px,52vh)}
.point.lesson{max-height:240px}
}
@media (max-width: 44.99875em){
.contents{left:0;right:0;top:52px;width:auto;max-width:none;border-radius:0 0 14px 14px}
.count,.part{display:none}
.lesson{left:0;right:0;width:auto;max-width:none;bottom:66px;max-height:min(54dvh,470px);border-radius:14px 14px 0 0;border-width:1px 0 0;z-index:29;box-shadow:0 -6px 22px rgba(10,16,24,.16)}
header{padding:8px 8px 4px 16px;gap:6px;position:relative}
.dashes{position:absolute;left:16px;right:16px;top:0;gap:3px}
.dashes i{flex:1;width:auto;height:3px;border-radius:0 0 2px 2px}
.fold{display:flex;align-items:center;flex:1;min-width:0;justify-content:space-between;gap:8px;text-align:left;height:36px}
.fold .icon{transition:transform .15s;color:var(--lab-ink2)}
.folded .fold .icon,.point .fold .icon{transform:rotate(180deg)}
.line{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.short{display:none;color:var(--lab-ink);margin-left:8px}
.folded .short,.point .short{display:inline}
.folded header{padding-bottom:6px}
.scroll{padding:0 16px}header .gap{display:none}
h2{font-size:1rem;line-height:1.3125}
.text p{font-size:.8125rem;margin-bottom:7px}
footer{padding:8px 16px 10px}footer:has(.again){gap:4px}footer:has(.again) .btn{padding-left:8px;padding-right:8px}
.hints li{flex-wrap:wrap;gap:6px 10px}.hints li>div{flex:1 1 calc(100% - 70px)}
.hints .do{margin-left:auto}
.layer{z-index:28}
.over-drawer .layer{z-index:42}
}
.plays:after{content:"";position:absolute;left:0;top:0;height:3px;width:100%;border-radius:12px 12px 0 0;background:var(--lab-primary);transform-origin:left;animation:passes var(--seconds) linear both}
@keyframes passes{from{transform:scaleX(0)}}
.contents .opening{margin:0 10px 4px;width:auto;background:var(--lab-chip)}
.contents .opening .icon{width:18px;height:18px;fill:var(--lab-primary)}
`
