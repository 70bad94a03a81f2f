"""What the Live page runs: a configuration, a run, the snapshots it publishes.

The way of a knob, eta_0 say, from the slider to the kernel:

1. ``app/js/widgets``: the slider sends its position.
2. `LabComponent` drops a message that does not fit `KnobSlider.on_slide`, which (3) hands it to `PageState.put`.
4. `Knob.read` turns the position into a value and checks its range: the page's one check.
5. `LiveState.changes_for` refuses what the algorithm does not use; 6. `param` sets the value and tells the page.
7. `LivePage._changed` asks for (8) `LiveState.frozen`, a `LiveConfig`, which (9) `Engine.post` queues for the engine's
thread: there (10) `Worker.configure` gives it to (11) `LiveRun.configure`, which logs the change.
12. `LiveConfig.settings` is the library's `Settings`, which checks what any caller gives it.
13. `StreamSampler.settings` takes it between two calls; 14. the next slice makes `Knobs` of it for (15) the kernel.

`Session` (what is asked, and when it is done), `Run` (the order of an epoch, a change, a way back) and what they call are
plain Python: ``python -m app.js.translate`` writes them for the lab file's worker. What depends on where the chains are is
in `RunState`, here on NumPy arrays, there in ``app/js/lab/run_state.js``.
"""
