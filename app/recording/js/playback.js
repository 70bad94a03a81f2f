// Where the recording stands and how it goes on: by the clock, at a pace, and still while a new part of the text is read.

const FACTORS = [0.25, 0.5, 1, 2, 4];
const PLAIN_FACTOR = 2; // index of 1
const LATE = 0.25; // seconds that a stalled page may owe: it goes on at its pace, it does not race
const READ_LEAST = 2.5; // seconds
const READ_LETTERS = 22; // letters a second

export class Playback {
  /** `parts`: [{frame, hold, letters}] of the text, in order: where each begins and where it is waited for its reader. `changed(jumped)` is called when the frame or the state changes. */
  constructor(clouds, rate, parts, changed) {
    Object.assign(this, { clouds, rate, parts, changed });
    this.last = clouds.length - 1;
    this.position = 0; // in frames, with a part of one
    this.playing = false;
    this.factor = PLAIN_FACTOR;
    this.reading = 0; // seconds of reading left
    this.readingAll = 1; // of how many
    this.told = -1; // number of the last part that has been held for
    this.frames = 0; // animation frames while playing: what a test counts
  }

  get frame() {
    return Math.floor(this.position + 1e-9);
  }

  get factors() {
    return FACTORS;
  }

  /** Number of the part of the text that belongs to the frame; -1 before the first. */
  get part() {
    let part = -1;
    this.parts.forEach(({ frame }, k) => {
      if (frame <= this.frame) part = k;
    });
    return part;
  }

  get ended() {
    return this.frame >= this.last;
  }

  play() {
    if (this.playing) return;
    if (this.ended) this.seek(0);
    this.playing = true;
    this.clock = performance.now();
    this.changed(false);
    this.await();
  }

  /** Go on at the next animation frame: once, however often Pause and Play were pressed since the last. */
  await() {
    cancelAnimationFrame(this.awaited);
    this.awaited = requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.reading = 0;
    this.changed(false);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  setFactor(index) {
    this.factor = Math.min(Math.max(index, 0), FACTORS.length - 1);
    this.changed(false);
  }

  seek(frame) {
    this.position = Math.min(Math.max(Math.round(frame), 0), this.last);
    this.reading = 0;
    this.told = this.parts.findLastIndex(({ hold }) => hold <= this.frame);
    this.changed(true);
  }

  /** Go on or back by whole epochs; in a recording of one epoch by pictures. */
  byEpochs(count) {
    this.pause();
    this.seek(this.clouds.beside(this.frame, count));
  }

  toEpoch(t) {
    this.seek(this.clouds.at(t, this.frame));
  }

  /** Show a part of the text, and hold for it when playing. */
  toPart(k) {
    this.seek(this.parts[k].frame);
    if (this.playing && this.parts[k].hold === this.frame) this.hold(k);
  }

  hold(k) {
    this.told = k;
    const { frame, hold, letters } = this.parts[k];
    const seen = (hold - frame) / (this.rate * FACTORS[this.factor]); // seconds in which it could be read already
    this.reading = this.readingAll = Math.max(READ_LEAST, letters / READ_LETTERS - seen);
  }

  tick(now) {
    if (!this.playing) return;
    const seconds = Math.min(Math.max(now - this.clock, 0) / 1000, LATE);
    this.clock = now;
    this.frames += 1;
    if (this.reading > 0) this.reading = Math.max(0, this.reading - seconds);
    else this.advance(seconds);
    this.changed(false);
    if (this.playing) this.await();
  }

  advance(seconds) {
    const wanted = this.position + seconds * this.rate * FACTORS[this.factor];
    const next = this.parts.findIndex(({ hold }, k) => k > this.told && hold <= wanted);
    this.position = Math.min(next < 0 ? wanted : Math.max(this.parts[next].hold, this.position), this.last);
    if (next >= 0) this.hold(next);
    else if (this.ended) this.playing = false;
  }
}
