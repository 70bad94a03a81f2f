/**
 * Heights near `wanted`, in the same order, at least `gap` apart inside [low, high]: app/live/charts/label_spacing.py,
 * which explains it, for a height that only the browser knows.
 */
export function spreadLabels(wanted, gap, low, high) {
  const count = wanted.length;
  const step = Math.min(gap, (high - low) / Math.max(1, count - 1));
  const order = [...wanted.keys()].sort((a, b) => wanted[a] - wanted[b] || a - b);
  const groups = []; // [sum of (wanted - rank * step), members]
  const mean = (group) => group[0] / group[1];
  order.forEach((i, rank) => {
    groups.push([wanted[i] - rank * step, 1]);
    while (groups.length > 1 && mean(groups.at(-2)) > mean(groups.at(-1))) {
      const [total, members] = groups.pop();
      groups.at(-1)[0] += total;
      groups.at(-1)[1] += members;
    }
  });
  const bases = groups.flatMap((group) => Array(group[1]).fill(mean(group)));
  const placed = [];
  order.forEach((i, rank) => {
    placed[i] = Math.min(Math.max(bases[rank], low), high - (count - 1) * step) + rank * step;
  });
  return placed;
}

/**
 * Labels {line, wanted, tall}, wanted by their middle, as boxes with a `top` that do not touch, inside [low, high], moved as
 * little as possible; where there is no room for all, the ones that are not bold go first.
 */
export function spreadBoxes(labels, low, high) {
  const boxes = [...labels].sort((a, b) => a.wanted - b.wanted);
  const need = () => boxes.reduce((sum, { tall }) => sum + tall, 0);
  while (boxes.length && need() > high - low) {
    const light = boxes.findIndex(({ line }) => !line.bold);
    boxes.splice(Math.max(light, 0), 1);
  }
  const groups = [];
  let above = 0;
  for (const box of boxes) {
    groups.push({ sum: box.wanted - box.tall / 2 - above, members: [{ box, above }] });
    above += box.tall;
    for (;;) {
      const [a, b] = groups.slice(-2);
      if (!b || a.sum / a.members.length <= b.sum / b.members.length) break;
      groups.splice(-2, 2, { sum: a.sum + b.sum, members: [...a.members, ...b.members] });
    }
  }
  return groups.flatMap(({ sum, members }) => members.map(({ box, above: rest }) =>
    ({ ...box, top: Math.min(Math.max(sum / members.length, low), high - need()) + rest })));
}
