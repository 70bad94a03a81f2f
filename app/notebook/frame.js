(async ({view, port, path, name}, model = null, place = document.getElementById(view)) => {
  // Shows a page of the kernel's server in a frame: directly, or through the kernel's connection. An ipywidget passes
  // its model and place.
  const PATIENCE = 30_000  // milliseconds to wait for a busy kernel
  const server = `http://127.0.0.1:${port}`
  const near = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(location.hostname) || location.protocol === "vscode-webview:"
  const frame = document.createElement("iframe")
  Object.assign(frame, {title: name, allow: "clipboard-write; fullscreen"})
  frame.style.cssText = "display:block;width:100%;height:860px;border:0"

  const show = words => {
    const line = document.createElement("p")
    line.textContent = `${name}: ${words}`
    place.replaceChildren(line)
    delete place.dataset.way
  }
  const end = () => show("the kernel of this page has ended. Run the cell again.")
  const reachable = () => fetch(server + path.split("?")[0] + "/alive",
    {mode: "no-cors", cache: "no-store", signal: AbortSignal.timeout(PATIENCE)}).then(() => true, () => false)

  window.addEventListener("message", ({source, data}) => {  // see frame_height.py
    if (source !== frame.contentWindow) return
    if (data?.exitTimeLab === "height") frame.style.height = `${Math.ceil(data.height) + 2}px`
  })

  const watch = () => {  // JupyterLab withdraws the kernel's connection when the kernel restarts or dies
    let lent = false
    const look = setInterval(() => {
      const there = window.PyViz?.kernels?.[view] !== undefined
      if (lent && !there && place.isConnected) { clearInterval(look); end() }
      lent ||= there
    }, 200)
  }

  const of = model => {  // the kernel's connection of an ipywidget
    const comm = {send: (data, _, buffers) => model.send(data, undefined, buffers)}
    model.on("msg:custom", (data, buffers) => comm.onMsg({content: {data}, buffers}))
    return comm
  }

  const connect = async () => {  // the kernel's connection of Panel's extension of JupyterLab
    for (let wait = 0; wait < 50; wait++) {
      const kernel = window.PyViz?.kernels?.[view]
      if (kernel) {
        const comm = kernel.connectToComm("exit-time-lab")
        if (comm.active) { comm.open(); return comm }
      }
      await new Promise(done => setTimeout(done, 100))
    }
    return null
  }

  const relay = comm => {
    const requests = new Map(), sockets = new Map()
    let count = Math.floor(Math.random() * 2 ** 40)  // views of one ipywidget receive each other's answers
    comm.onMsg = ({content: {data}, buffers}) => {
      if (data.kind === "got") {
        requests.get(data.number)?.(new Response(buffers[0], {status: data.status, headers: {"Content-Type": data.type}}))
        requests.delete(data.number)
        return
      }
      const socket = sockets.get(data.socket)
      if (!socket) return
      if (data.kind === "opened") socket.take("open", {}, {readyState: 1, protocol: data.protocol})
      else if (data.kind === "closed") {
        sockets.delete(data.socket)
        socket.take("close", {code: 1006, reason: data.reason}, {readyState: 3})
      } else buffers.forEach((buffer, i) => {
        // an array of the frame's own class, for Bokeh's instance checks
        socket.take("message", {data: data.text[i] ? new TextDecoder().decode(buffer) : frame.copy(buffer)})
      })
    }
    const get = path => new Promise(done => { requests.set(++count, done); comm.send({kind: "get", number: count, path}) })
    class Socket extends EventTarget {  // the part of WebSocket that Bokeh uses
      constructor(url, protocols) {
        super()
        Object.assign(this, {number: ++count, readyState: 0, protocol: ""})
        sockets.set(this.number, this)
        comm.send({kind: "open", number: this.number, path: path.split("?")[0] + "/ws", protocols: [protocols].flat()})
      }
      take(kind, about, state = {}) {
        Object.assign(this, state)
        const event = Object.assign(new Event(kind), about)
        this["on" + kind]?.(event)
        this.dispatchEvent(event)
      }
      send(data) {
        if (typeof data === "string") comm.send({kind: "send", number: this.number, text: data})
        else comm.send({kind: "send", number: this.number}, {}, [data])
      }
      close() {
        sockets.delete(this.number)
        this.readyState = 3
        comm.send({kind: "close", number: this.number})
      }
    }
    Object.assign(Socket, {CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3})
    return {get, Socket}
  }

  const through = async ({get, Socket}) => {  // load the page's document, files and socket through the relay
    const files = new Map()
    const file = url => {  // blob address of a file of the server
      const key = url.pathname + url.search
      if (!files.has(key)) files.set(key, get(key).then(answer => answer.blob()).then(whole(url)).then(URL.createObjectURL))
      return files.get(key)
    }
    const whole = url => async blob => {  // replace the addresses of fonts in a style sheet
      if (!blob.type.startsWith("text/css")) return blob
      const text = (await blob.text()).replace(/,url\([^)]*\.woff"?\) format\("woff"\)/g, "")  // woff2 is sufficient
      const parts = text.split(/url\("?(\.[^)"]*)"?\)/)
      const texts = await Promise.all(parts.map(async (part, i) => i % 2 ? `url(${await file(new URL(part, url))})` : part))
      return new Blob([texts.join("")], {type: "text/css"})
    }
    const answer = await Promise.race([get(path), new Promise(done => setTimeout(done, PATIENCE))])
    if (answer?.status !== 200) return end()
    const page = new DOMParser().parseFromString(await answer.text(), "text/html")
    for (const node of page.querySelectorAll("script[src], link[href]")) {
      const name = node.tagName === "LINK" ? "href" : "src"
      if (node.rel?.includes("icon")) node.remove()
      else node.setAttribute(name, await file(new URL(node.getAttribute(name), server + path)))
    }
    const shim = page.createElement("script")
    shim.textContent = "frameElement.bring(window)"
    const base = page.createElement("base")
    base.href = server + path
    page.head.prepend(base, shim)
    frame.bring = inner => {
      const ours = url => { const at = new URL(url, server + path); return at.origin === server ? at : null }
      inner.WebSocket = Socket
      frame.copy = ({buffer, byteOffset, byteLength}) => new inner.Uint8Array(new Uint8Array(buffer, byteOffset, byteLength)).buffer
      const plain = inner.fetch.bind(inner)
      inner.fetch = (what, options) => {
        const at = ours(what.url ?? what)
        return at ? get(at.pathname + at.search) : plain(what, options)
      }
      const {set, get: read} = Object.getOwnPropertyDescriptor(inner.HTMLLinkElement.prototype, "href")
      const link = (node, url) => { const at = ours(url); at ? file(at).then(address => set.call(node, address)) : set.call(node, url) }
      Object.defineProperty(inner.HTMLLinkElement.prototype, "href", {get: read, set(url) { link(this, url) }})
      const attribute = inner.Element.prototype.setAttribute
      inner.Element.prototype.setAttribute = function (name, value) {
        if (name === "href" && this instanceof inner.HTMLLinkElement) link(this, value)
        else attribute.call(this, name, value)
      }
    }
    frame.srcdoc = "<!DOCTYPE html>" + page.documentElement.outerHTML
  }

  if (!model && near && await reachable()) {
    frame.src = server + path
    place.replaceChildren(frame)
    place.dataset.way = "straight"
    watch()
    return
  }
  const comm = model ? of(model) : await connect()
  if (!comm) {
    return show("the kernel of this page has ended, or this browser cannot reach it. Run the cell again."
      + (location.protocol === "vscode-webview:" ? " For a remote kernel use app.notebook.ipywidget(page)." : ""))
  }
  place.replaceChildren(frame)
  place.dataset.way = "kernel"
  await through(relay(comm))
  if (!model) watch()
})
