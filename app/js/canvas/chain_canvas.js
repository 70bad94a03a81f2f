// Picture of the chains in a served page: frames arrive as bytes, and each is acknowledged after painting.
import {ChainPicture} from "./chain_picture.js"
import {decode} from "./frame_bytes.js"

const closers = new WeakMap(); // a view may be rendered again: the old picture must be closed

export const ChainCanvas = {render({ model, view }) {
  closers.get(view)?.();
  let pending = null, last = 0; // number of the frame to be acknowledged, and of the last one acknowledged
  let next = null; // frame received before the current one was painted: simultaneous frames are painted separately
  const show = (frame) => {
    pending = frame.seq;
    picture.show(frame);
  };
  const painted = () => { // acknowledge the frame, after the browser could display it
    const seq = pending, following = next;
    pending = next = null;
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
    const waits = pending !== null && !(model.answered > 1); // with many visits, the newest frame is shown immediately
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
  model.send_msg({ hello: true }); // request a full frame: contours are only sent when they change
  return picture.box;
}}
