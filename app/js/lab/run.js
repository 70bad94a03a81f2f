// `app/live/run.py` on the kernels in the browser. Each run needs a separate instance of the module: its arrays are never freed.

import {LiveConfig} from "./live_config.js"
import {Meter} from "./assumption_meter.js"
import {kernelCalls} from "./kernels.js"
import {Forecast} from "./noise.js"
import {kernels as called} from "./numpy.js"
import {OnlineSagaLD} from "./online_saga_ld.js"
import {Pool} from "./recent_samples.js"
import {RunState} from "./run_state.js"
import {RowStream, Stream, initialState} from "./stream.js"
import {Target} from "./target.js"
import {Constants} from "../dist/translated/app_live_assumptions.js"
import {Run} from "../dist/translated/app_live_run.js"
import {HORIZON} from "../dist/translated/app_live_timeline.js"

const BUDGET = 64 * 2 ** 20 // maximum bytes of saved states; with fewer states a replay starts earlier

/** A run from epoch 0. */
export class LabRun extends Run {
  /** `problem` is the record of a problem; `ownData` {features, labels} are the user's own data, or null. */
  constructor(kernels, problem, values, ownData = null) {
    const config = new LiveConfig(values), {settings, chains, seed, algorithm} = config
    const stream = ownData ? new RowStream(kernels, problem, ownData.features, ownData.labels)
      : new Stream(kernels, problem, config.stream, seed, HORIZON)
    const saga = new OnlineSagaLD(kernels, initialState(kernels, problem, {algorithm, settings, chains, seed, stream}))
    const constants = new Constants(new Meter(kernels, problem), problem.kind === "gaussian_mean"), forecast = new Forecast(kernels, problem)
    saga.settings = settings
    Object.assign(called, kernelCalls(kernels))
    super(new RunState({kernels, config, problem, stream, saga, target: new Target(kernels, problem), pool: new Pool(kernels, problem.dim), constants}),
      () => performance.now() / 1000, {add: ({saga, target}) => forecast.add(saga, target), accuracy: state => forecast.accuracy(state)})
    this.saved_states.budget = BUDGET
  }
}
