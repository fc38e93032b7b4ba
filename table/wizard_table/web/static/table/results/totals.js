// The sums of points: those of each seat before the first round, and after every round.
export function totalsOf({ pad, seats }) {
  const totals = [seats.map(() => 0)];
  for (const [, { points }] of pad) totals.push(points.map((won, seat) => won + totals.at(-1)[seat]));
  return totals;
}
