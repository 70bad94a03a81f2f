// The Exit time page's part of the worker: requests of the page, results as it can show them.
import {ExitJobs} from "./job.js"
import {errorWords} from "../fault_words.js"
import {Kernels} from "../kernels.js"

let jobs = null

/** Take a request; `module` is the promise of the compiled kernels. */
export async function exitTime({number, config, squared}, module, manifest) {
  jobs ??= Promise.resolve(module).then(own => new ExitJobs(Kernels.of(own, manifest), (of, message) => postMessage({type: "exit", number: of, ...message})))
  try { await (await jobs).run(number, config, squared) } catch (error) { postMessage({type: "exit", number, fault: errorWords(error)}) }
}
