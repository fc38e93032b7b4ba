// When a drill comes again: the boxes of Sebastian Leitner, "So lernt man lernen" (1972). A right answer moves it
// to the next box, a wrong one back to the first, and each box waits twice as long as the one before.
export const BOXES = 5; // a right answer in the last one ends it
export const NEARLY = 1; // points; what expects this much less than the best is right too
const DAY = 24 * 3600 * 1000; // milliseconds

// A drill as it is kept: a decision of a game, what was chosen there, its box, and when it is due.
export const newDrill = (decisions, chosen, now) => ({ decisions, chosen, box: 1, due: now });

// The drill after an answer at this time. One that has left the last box is learned.
export function moved(drill, right, now) {
  if (!right) return { ...drill, box: 1, due: now };
  return { ...drill, box: drill.box + 1, due: now + daysAfter(drill.box) * DAY };
}

// How many days a right answer in a box lets the drill rest.
export const daysAfter = (box) => 2 ** (box - 1);

export const isLearned = ({ box }) => box > BOXES;

// `choices` as in a hint: the points that each action expects.
export function isRight(choices, action) {
  const best = Math.max(...choices.map(({ points }) => points));
  return best - worthOf(choices, action) <= NEARLY;
}

export const worthOf = (choices, action) => choices.find((one) => one.action === action).points;
