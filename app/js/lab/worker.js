// Worker of a run: handles messages of the page, keeps the clock and sends frames at the rate at which the page draws them.
//
// A frame is made after the page has drawn (or dropped) all but one of the previous ones, at most 60 per second. A hidden page
// draws none, but the run continues. `prepare` passes the kernels, `begin` starts a run; other messages are for its session.

import {exitTime} from "./exit_time/job.js"
import {errorWords} from "./error_words.js"
import {inflated} from "./compressed_parts.js"
import {LabSession} from "./run_commands.js"

const SLICE = 0.008 // seconds of work between checks for messages
const FRAME = 1 / 60.5, MOST_PENDING = 2 // seconds between frames, maximum number of frames not drawn yet
const soon = new MessageChannel()
let module, manifest, session = null, early = [], pending = 0, nextFrame = 0, timer = null, called = false

const seconds = () => performance.now() / 1000
const fault = words => postMessage({type: "fault", words})

function call() { // run `turn` after the pending messages
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
  pending++
  postMessage({type: "snapshot", snapshot}, [snapshot.frame.positions.buffer, snapshot.frame.jumped.buffer]) // transferred, not copied
}

const due = () => pending < MOST_PENDING ? nextFrame : Infinity

function turn(afterCommand) {
  if (!afterCommand) session.work(Math.min(SLICE, Math.max(0.002, due() - seconds()))) // changes by a command are shown first
  const now = seconds()
  if (session.dirty && (afterCommand ? pending < MOST_PENDING : now >= due())) sendFrame(now)
  let wait = session.wait()
  if (wait !== null && session.paced) wait = Math.max(wait, Math.min(due() - now, FRAME)) // an earlier step would not be visible
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
  for (const one of early.splice(0)) session.receive(one)
  call()
}

function prepare(packed) {
  postMessage({type: "started"}) // the first message passes through the page's thread, later ones do not
  module = WebAssembly.compileStreaming(inflated(packed.wasm, "application/wasm"))
  manifest = inflated(packed.manifest).json()
  for (const one of [module, manifest]) one.catch(() => {}) // reported by `begin`
}

onmessage = ({data}) => {
  if (data.type === "prepare") prepare(data)
  else if (data.type === "begin") begin(data)
  else if (data.type === "exit") exitTime(data, module, manifest)
  else if (data.type === "shown") pending = Math.max(0, pending - 1)
  else if (!session) early.push(data)
  else {
    session.receive(data)
    clearTimeout(timer)
    turn(true)
    return
  }
  if (session) call()
}
