// The picture of the chains in a page that a server feeds: frames come as bytes, each is answered once it is painted.

import { ChainPicture } from "./chain_picture.js";
import { EXPORT_MESSAGE, decode } from "./message.js";

const views = new WeakMap(); // a view may be rendered again: the old drawing must stop listening
const saved = new Set(); // pictures saved by any view of this page

class ServedPicture {
  constructor(model) {
    this.model = model;
    const told = { follow: (chain) => model.send_msg({ follow: chain }), painted: () => this.acknowledge() };
    this.picture = new ChainPicture(model, told);
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
    const message = decode(data);
    if (message.kind === EXPORT_MESSAGE) {
      this.save(message.seq);
      return;
    }
    this.owed = message.seq;
    this.picture.show(message);
  }

  /** Tell Python that the frame is on screen, after the browser has had its chance to show it. */
  acknowledge() {
    if (this.owed === undefined) return;
    const seq = this.owed;
    this.owed = undefined;
    if (seq % this.model.answered) return;
    setTimeout(() => this.model.send_msg(seq), 0);
  }

  /** Download the picture on the card's background. With several views of one canvas only the first one does. */
  save(number) {
    const key = `${this.model.name} ${number}`;
    const { canvas, frame } = this.picture;
    if (!frame || !canvas.width || saved.has(key)) return;
    saved.add(key);
    const sheet = document.createElement("canvas");
    sheet.width = canvas.width;
    sheet.height = canvas.height;
    const g = sheet.getContext("2d");
    g.fillStyle = this.model.palette.card;
    g.fillRect(0, 0, sheet.width, sheet.height);
    g.drawImage(canvas, 0, 0);
    sheet.toBlob(async (blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await stamped(blob));
      link.download = `${this.model.filename || `chains_t${frame.t}`}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    });
  }
}

export function render({ model, view }) {
  views.get(view)?.close();
  const chart = new ServedPicture(model);
  views.set(view, chart);
  return chart.picture.box;
}
