"""Backend of the Live page: configuration, run, and published snapshots.

The path of a knob, such as eta_0, from the slider to the kernel:

1. ``app/js/widgets``: the slider sends its position.
2. `LabComponent` drops a message that does not match `KnobSlider.on_slide`, which (3) passes it to `PageState.put`.
4. `Knob.read` converts the position to a value and checks its range: the page's only check.
5. `LiveState.changes_for` refuses a knob that the algorithm does not use; 6. `param` sets the value and notifies the page.
7. `LivePage._changed` calls (8) `LiveState.frozen` for a `LiveConfig`, which (9) `Engine.post` queues for the engine's
thread: there (10) `Worker.configure` passes it to (11) `LiveRun.configure`, which logs the change.
12. `LiveConfig.settings` is the library's `Settings`, which validates its arguments.
13. `StreamSampler.settings` is set between two calls; 14. the next slice converts it to `Knobs` for (15) the kernel.

`Session` (commands and scheduling), `Run` (the order of epochs, changes and rewinds) and everything they call are plain
Python: ``python -m app.js.translate`` translates them for the lab file's worker. The parts that depend on the storage of the
chains are in `RunState`, with NumPy arrays here, and in ``app/js/lab/run_state.js``.
"""
