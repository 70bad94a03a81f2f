// The picture of the chains in a page that a server feeds: frames come as bytes, each is answered once it is painted.
import {ChainPicture} from "./chain_picture.js"
import {decode} from "./frame_bytes.js"

const views = new WeakMap(); // a view may be rendered again: the old drawing must stop listening

class ServedPicture {
  constructor(model) {
    this.model = model;
    const handlers = { follow: (chain) => model.send_msg({ follow: chain }), painted: () => this.acknowledge() };
    this.picture = new ChainPicture(model, handlers);
    this.onMessage = (data) => this.receive(data);
    model.on("msg:custom", this.onMessage);
    model.on(["palette", "dark", "font", "axes", "rungs"], () => this.picture.restyle());
    model.on("remove", () => this.close());
    model.send_msg({ hello: true }); // asks for a whole frame: contours only travel when they change
  }

  close() {
    this.picture.close();
    this.model.off("msg:custom", this.onMessage);
  }

  receive(data) {
    if (data.save) {
      this.picture.save(this.model.filename);
      return;
    }
    const frame = decode(data);
    this.owed = frame.seq;
    this.picture.show(frame);
  }

  /** Tell Python that the frame is on screen, after the browser has had its chance to show it. */
  acknowledge() {
    if (this.owed === undefined) return;
    const seq = this.owed;
    this.owed = undefined;
    if (seq % this.model.answered) return;
    setTimeout(() => this.model.send_msg(seq), 0);
  }
}

export const ChainCanvas = {render: renderChainCanvas}

function renderChainCanvas({ model, view }) {
  views.get(view)?.close();
  const chart = new ServedPicture(model);
  views.set(view, chart);
  return chart.picture.box;
}
