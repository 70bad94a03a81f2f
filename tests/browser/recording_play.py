"""A recording as a person uses it, asked of the browser: it plays, pauses, steps, scrubs and shows each part."""

PLAYED = r"""async () => { // what is wrong, in words
  const {playback, picture} = recording, wrong = [], bar = document.querySelector(".transport"), {parts} = playback
  const frame = () => new Promise(requestAnimationFrame)
  const until = async (words, done) => {
    for (let i = 0; i < 2000 && !done(); i++) await frame()
    if (!done()) wrong.push(words)
  }
  const painted = () => +picture.canvas.dataset.frames, at = () => +bar.dataset.frame, seen = n => n.offsetWidth > 0
  const press = key => dispatchEvent(new KeyboardEvent("keydown", {key}))
  const inked = canvas => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean)

  playback.play()
  const before = painted()
  await until("it does not play", () => playback.frame > 2 || playback.reading > 0)
  await until("no chains are painted", () => painted() > before)
  document.querySelector("[data-press=play]").click()
  await until("it does not pause", () => bar.dataset.playing === "false")
  playback.play(); playback.pause(); playback.play(); playback.pause(); playback.play()
  const ticks = playback.frames
  await frame(); await frame(); await frame()
  if (playback.frames - ticks > 4) wrong.push("it plays twice at once")
  playback.pause()
  press("End")
  await until("not at the end", () => at() === playback.last)
  const charts = [...document.querySelectorAll(".panel canvas")].filter(seen)
  if (!charts.length && !document.querySelector(".price-rows")) wrong.push("no chart")
  if (!charts.every(inked)) wrong.push("a chart is empty")
  press("ArrowLeft")
  await until("no step back", () => at() < playback.last)
  const middle = Math.floor(playback.last / 2), slider = bar.querySelector(".scrub input")
  slider.value = middle
  slider.dispatchEvent(new Event("input"))
  await until("the slider does not scrub", () => at() === middle)
  for (const k of parts.keys()) {
    playback.toPart(k)
    await frame(); await frame()
    const words = document.querySelector(".words"), badges = words.querySelectorAll(".badge").length
    const placed = document.querySelectorAll(".place-badge").length
    if (!words.innerText.trim()) wrong.push(`part ${k + 1} has no text`)
    if (placed < badges) wrong.push(`part ${k + 1}: ${placed} of ${badges} places`)
  }
  if (document.querySelector("main").offsetWidth > innerWidth) wrong.push("too wide")
  if (/\$[^$ ]*\^|undefined|NaN|\[object/.test(document.body.innerText)) wrong.push("raw words")
  return wrong }"""
