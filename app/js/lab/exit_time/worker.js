// The Exit time page's part of the worker: requests of the page, results as it can show them.
import {ExitJobs} from "./job.js"
import {errorWords} from "../error_words.js"
import {Kernels} from "../kernels.js"

let jobs = null

/** Take a request, or the run that Live has left; `module` and `manifest` are promises of the compiled kernels and their entries. */
export async function exitTime({number, config, squared, live, opens}, module, manifest) {
  const fresh = async () => Kernels.of(await module, await manifest)
  jobs ??= fresh().then(kernels => new ExitJobs(kernels, (of, message) => postMessage({type: "exit", number: of, ...message})))
  try {
    const own = await jobs
    if (live) own.leave(live)
    else await own.run(number, config, squared, {...opens, kernels: fresh})
  } catch (error) { postMessage({type: "exit", number, fault: errorWords(error)}) }
}
