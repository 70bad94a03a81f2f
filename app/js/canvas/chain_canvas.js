// The picture of the chains in a page that a server feeds: frames come as bytes, each is answered once it is painted.
import {ChainPicture} from "./chain_picture.js"
import {decode} from "./frame_bytes.js"

const closers = new WeakMap(); // a view may be rendered again: the old drawing must stop listening

export const ChainCanvas = {render({ model, view }) {
  closers.get(view)?.();
  let owed = null, last = 0; // the frame to be answered, and the one answered last
  let next = null; // came before the one on show was painted: each has a painting of its own, or two that come at once were one
  const show = (frame) => {
    owed = frame.seq;
    picture.show(frame);
  };
  const painted = () => { // tell Python that the frame is on screen, after the browser has had its chance to show it
    const seq = owed, following = next;
    owed = next = null;
    if (seq !== null && seq >= last + model.answered) {
      last = seq;
      setTimeout(() => model.send_msg(seq), 0);
    }
    if (following) show(following);
  };
  const picture = new ChainPicture(model, { follow: (chain) => model.send_msg({ follow: chain }), painted });
  const receive = (data) => {
    if (data.save) {
      picture.save(model.filename);
      return;
    }
    const frame = decode(data);
    if (next) show(next);
    const waits = owed !== null && !(model.answered > 1); // where many visits are drawn, the newest is shown at once
    next = waits ? frame : null;
    if (!waits) show(frame);
  };
  const close = () => {
    picture.close();
    model.off("msg:custom", receive);
  };
  closers.set(view, close);
  model.on("msg:custom", receive);
  model.on(["palette", "dark", "font", "axes", "rungs"], () => picture.restyle());
  model.on("remove", close);
  model.send_msg({ hello: true }); // asks for a whole frame: contours only travel when they change
  return picture.box;
}}
