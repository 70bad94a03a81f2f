// A worker that answers as the real one does, without a chain: what a test sees depends on nothing but what it was told.
let config, state, timer = null, owed = 0, told = []

const begin = (given, moment) => {
  config = given
  state = {run: (state?.run ?? 0) + 1, t: moment?.t ?? 0, playing: !moment, furthest: moment?.t ?? 0, changes: [...(moment?.changes ?? [])],
    first: moment?.first ?? knobs(given), arrived: Boolean(moment), hurry: 0}
}
const KNOBS = ["eta0", "batch_size", "i_max", "acceptance_radius", "escape_radius", "offset", "variance_reduction", "reset", "random_length", "refresh"]
const knobs = ({escape_radius, ...given}) => [Object.fromEntries(KNOBS.filter(name => name in given).map(name => [name, given[name]])), escape_radius]
function change(given) {
  const [settings, escape_radius] = knobs(given)
  return {t: state.t, advanced: null, settings, escape_radius, revive: false, continues: false}
}

function frame() {
  const {chains, follow, rescaled} = config, shrink = rescaled ? 1 : 1 / Math.sqrt(state.t + 1), around = (turned, radius) => [
    shrink * radius * Math.cos(turned), shrink * radius * Math.sin(turned)]
  const points = Array.from({length: chains}, (_, k) => around(k * 2.4 + state.t / 9, 5 * Math.sqrt(k / chains)))
  const contours = [2, 4, 6].map(radius => Float32Array.from(Array.from({length: 64}, (_, i) => around(i / 64 * 2 * Math.PI, radius)).flat()))
  return {frame: ++told.length, t: state.t, run: state.run, chains, rung: null, rescaled, coordinates: rescaled, followed: follow,
    positions: Float32Array.from(points.flat()), jumped: new Uint8Array(chains), mode: [0, 0], checkpoint: [shrink, shrink], window: {x: 0, y: 0, half: 8 * shrink},
    escape: config.escape_radius * shrink, acceptance: config.acceptance_radius * shrink, ellipse: null, ghost: null, arrows: null,
    resets: new Float32Array(0), exits: new Float32Array(0), scenery: {contours, balls: []}}
}

const COLUMNS = ["t", "accuracy", "ceiling_low", "ceiling_high", "predicted", "tv", "median", "q95", "farthest", "memory", "saga", "sgld", "bound", "cost", "full"]
function series(recent = true) {
  const epochs = []
  for (let t = 8; t <= state.t; t = Math.ceil(t * 1.05)) epochs.push(t)
  const columns = Object.fromEntries(COLUMNS.map(name => [name, epochs.map(t => name === "t" ? t : 0.5 + t / 1e4)]))
  return {columns, exits_t: [], exits_value: [], events: [], checkpoints: [], recent: recent ? series(false) : null}
}

function snapshot(more = {}) {
  const {run, t, playing, furthest, changes, first} = state
  const moment = t ? {t, advanced: null, first, changes} : null
  const notice = state.arrived && !playing ? {notice: `This is epoch ${t} as it was shared.`, notice_kind: "arrived"} : {notice: null, notice_kind: null}
  postMessage({type: "snapshot", snapshot: {run, playing, t, step: 3, run_length: 60, step_size: config.eta0 / (t + config.offset), furthest, config,
    frame: frame(), series: told.length % 5 ? null : series(), verdict: {kind: t > 8 ? "safe" : "waiting", title: t > 8 ? "Safe" : "Starting", subtitle: "", sentence: "Accuracy 0.93 of 0.95 and i_max is right.",
      suggestion: "", change: t > 8 ? {eta0: 2} : null}, meters: [["width", "width bias", "6 %", 0.2, 0.5, false], ["noise", "gradient noise", "1.2 ×", 0.3, 0.5, false],
      ["memory", "memory", "3", 0.1, 0.5, false], ["resets", "epochs reset", "0 %", 0, 0.5, true]].map(([key, label, text, fill, tick, bad]) => ({key, label, text, fill, tick, bad})),
    progress: null, reference: "grid", moment, ghost: null, comparison: null, ...notice, ...more}})
}

const beat = () => {
  if (!state.playing || owed > 1) return
  const epochs = state.t < state.hurry ? Math.min(130, state.hurry - state.t + 10) : 10
  state.t += epochs
  state.furthest = Math.max(state.furthest, state.t)
  owed += 1
  snapshot()
}

const deeds = {
  begin: data => { begin(data.config, data.moment); timer ??= setInterval(beat, 100) }, // rarely: every frame is painted
  configure: data => {
    const starts = ["problem", "stream", "algorithm", "chains", "seed", "forget"].some(name => config[name] !== data.config[name])
    if (starts) begin(data.config)
    else if (KNOBS.some(name => config[name] !== data.config[name])) state.changes.push(change(data.config))
    config = data.config
  },
  play: () => { state.playing = true }, pause: () => { state.playing = false },
  hand_over: () => { state.playing = false }, exit: () => {},
  step: () => { state.playing = false }, epoch: () => { state.playing = false; state.t += 1; state.furthest = Math.max(state.furthest, state.t) },
  restart: () => { begin(config) }, hurry: ({t}) => { state.hurry = t },
  rewind: ({t}) => { Object.assign(state, {run: state.run + 1, t, playing: false}) },
  recall: data => { begin({...data.config}, data.moment) },
  shown: () => { owed = Math.max(0, owed - 1) }, revive: () => {}, keep_ghost: () => {}, let_ghost_go: () => {}, data: () => {},
}
onmessage = ({data}) => {
  if (data.type === "prepare") return postMessage({type: "started"}) // there is nothing to compile
  told.push(data.type)
  deeds[data.type](data)
  if (data.type !== "shown") snapshot()
}
