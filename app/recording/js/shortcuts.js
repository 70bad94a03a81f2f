// The keys of a recording. The canvas has the arrows while it has the focus: there they choose a chain.

export function listenForKeys(playback, topBar) {
  const step = (by) => {
    const k = playback.part + by;
    if (playback.parts[k]) playback.toPart(k);
  };
  const deeds = {
    " ": () => playback.toggle(),
    ArrowRight: (event) => playback.byEpochs(event.shiftKey ? 10 : 1),
    ArrowLeft: (event) => playback.byEpochs(event.shiftKey ? -10 : -1),
    ArrowUp: () => playback.setFactor(playback.factor + 1),
    ArrowDown: () => playback.setFactor(playback.factor - 1),
    Home: () => playback.seek(0),
    End: () => playback.seek(playback.last),
    PageDown: () => step(1),
    PageUp: () => step(-1),
    t: () => topBar.choose(!topBar.dark),
  };
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target } = event;
    if (target.closest?.("dialog, [role=radiogroup]")) return;
    if (event.key === " " && target.matches?.("button")) return; // the button is what is pressed
    const arrow = event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
    if (arrow && target.matches?.(".speed input")) return;
    const deed = deeds[event.key.length > 1 ? event.key : event.key.toLowerCase()];
    if (!deed) return;
    event.preventDefault();
    deed(event);
  });
}
