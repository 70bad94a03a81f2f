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
