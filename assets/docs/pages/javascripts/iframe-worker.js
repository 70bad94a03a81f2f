/* Search from the disk: a page of file:// may start no Worker, so that its script runs in a frame of the page's own origin.
   Material for MkDocs looks for window.IFrameWorker, the name of a package that it would load from another host. */
window.IFrameWorker = class extends EventTarget {
  constructor(url) {
    super()
    const frame = document.createElement("iframe")
    frame.hidden = true
    document.body.append(frame)
    this.inside = frame.contentWindow
    window.addEventListener("message", event => {
      if (event.source === this.inside) this.dispatchEvent(new MessageEvent("message", {data: event.data}))
    })
    const page = frame.contentDocument
    page.open()
    page.write("<!doctype html><title>search</title><body></body>")
    page.close()
    this.inside.postMessage = data => window.dispatchEvent(new MessageEvent("message", {data, source: this.inside}))
    const base = new URL(url, location)
    const load = address => new Promise((done, fail) => {
      const script = Object.assign(page.createElement("script"), {src: new URL(address, base), onload: done, onerror: fail})
      page.body.append(script)
    })
    this.inside.importScripts = async (...addresses) => { for (const address of addresses) await load(address) }
    this.ready = load(base)
  }
  set onmessage(listener) { this.addEventListener("message", listener) }
  postMessage(data) { this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", {data}))) }
  terminate() { this.inside.frameElement.remove() }
}
if (location.protocol === "file:") window.Worker = window.IFrameWorker
