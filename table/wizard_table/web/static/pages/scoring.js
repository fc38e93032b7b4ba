// The score sheet of a game with real cards. Kept are the names, clockwise from the first dealer, whether the bids
// may not add up to the tricks, and the numbers in the order in which they are called: in each round the bids from
// the dealer's left, then the tricks won, but for the last player's, who won the rest. All else follows from these.

const CARDS = 60;
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

// The rounds so far: the size of the hands, the dealer, the players as they are called, their bids and tricks won.
export function roundsOf({ names, numbers }) {
  const rounds = [];
  const left = [...numbers];
  const others = names.length - 1;
  for (let size = 1; size <= CARDS / names.length; size++) {
    const dealer = (size - 1) % names.length;
    const called = names.map((_, place) => (dealer + 1 + place) % names.length);
    const bids = left.splice(0, names.length);
    const won = left.splice(0, others);
    const isOver = won.length === others;
    if (isOver) won.push(size - sum(won));
    rounds.push({ size, dealer, called, bids, won, isOver });
    if (!isOver) break;
  }
  return rounds;
}

// The number to be called next: whose it is, whether it is a bid, the highest that is possible, and the bid that
// the dealer may not make, or null. Null once the game is over.
export function nextCall({ names, hook }, rounds) {
  const { size, called, bids, won, isOver } = rounds.at(-1);
  if (isOver) return null;
  const isBid = bids.length < names.length;
  if (!isBid) return { player: called[won.length], isBid, most: size - sum(won), forbidden: null };
  const rest = size - sum(bids);
  const isHooked = hook && bids.length === names.length - 1 && rest >= 0;
  return { player: called[bids.length], isBid, most: size, forbidden: isHooked ? rest : null };
}

// A round as the sheet shows it, by player: bid, tricks won, points and total; undefined where it is not known.
// `points` by bid and tricks won, as the server's rules have them.
export function linesOf({ names }, rounds, points) {
  const totals = names.map(() => 0);
  return rounds.map(({ size, dealer, called, bids, won, isOver }) => {
    const cells = [];
    for (const [place, player] of called.entries()) {
      const cell = { bid: bids[place], won: won[place] };
      if (isOver) {
        cell.points = points[cell.bid][cell.won];
        totals[player] += cell.points;
      }
      cells[player] = { ...cell, total: totals[player] };
    }
    return { size, dealer, isOver, cells };
  });
}
