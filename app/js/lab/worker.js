// The worker in which a run lives: messages of the page, the clock, and frames as the page can draw them.
//
// A frame is made once the page has drawn (or thrown away) all but one of those before it, at most 60 a second. A page that is
// hidden draws none: the run goes on, as its clock says. `prepare` brings the kernels, `begin` a run; the rest is for its session.

import {exitTime} from "./exit_time/job.js"
import {errorWords} from "./error_words.js"
import {inflated} from "./compressed_parts.js"
import {LabSession} from "./run_commands.js"

const SLICE = 0.008 // seconds of work between two looks at the messages
const FRAME = 1 / 60.5, MOST_ON_THEIR_WAY = 2
const soon = new MessageChannel()
let module, manifest, session = null, early = [], onTheirWay = 0, nextFrame = 0, timer = null, called = false

const seconds = () => performance.now() / 1000
const fault = words => postMessage({type: "fault", words})

function call() { // in a moment, after the messages that are here
  if (called) return
  called = true
  clearTimeout(timer)
  timer = null
  soon.port2.postMessage(null)
}

function sendFrame(now) {
  nextFrame = Math.max(nextFrame + FRAME, now)
  const snapshot = session.snapshot()
  if (!snapshot) return
  onTheirWay++
  postMessage({type: "snapshot", snapshot}, [snapshot.frame.positions.buffer, snapshot.frame.jumped.buffer]) // handed over, not copied
}

const due = () => onTheirWay < MOST_ON_THEIR_WAY ? nextFrame : Infinity

function turn(afterCommand) {
  if (!afterCommand) session.work(Math.min(SLICE, Math.max(0.002, due() - seconds()))) // what a command changed is shown first
  const now = seconds()
  if (session.dirty && (afterCommand ? onTheirWay < MOST_ON_THEIR_WAY : now >= due())) sendFrame(now)
  let wait = session.wait()
  if (wait !== null && session.paced) wait = Math.max(wait, Math.min(due() - now, FRAME)) // nobody would see it before
  if (session.dirty && due() < Infinity) wait = Math.min(wait ?? Infinity, Math.max(0, due() - now))
  if (wait === 0) call()
  else if (wait !== null) timer = setTimeout(call, 1000 * wait)
}

soon.port1.onmessage = () => {
  called = false
  turn(false)
}

async function begin(message) {
  try {
    session = new LabSession(await module, {...message, manifest: await manifest}, fault)
  } catch (error) {
    fault(errorWords(error))
    return
  }
  for (const one of early.splice(0)) session.hear(one)
  call()
}

function prepare(packed) {
  postMessage({type: "started"}) // the first message came by way of the page's thread, the others do not
  module = WebAssembly.compileStreaming(inflated(packed.wasm, "application/wasm"))
  manifest = inflated(packed.manifest).json()
  for (const one of [module, manifest]) one.catch(() => {}) // said by `begin`
}

onmessage = ({data}) => {
  if (data.type === "prepare") prepare(data)
  else if (data.type === "begin") begin(data)
  else if (data.type === "exit") exitTime(data, module, manifest)
  else if (data.type === "shown") onTheirWay = Math.max(0, onTheirWay - 1)
  else if (!session) early.push(data)
  else {
    session.hear(data)
    clearTimeout(timer)
    turn(true)
    return
  }
  if (session) call()
}
