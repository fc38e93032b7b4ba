// The boxes of Sebastian Leitner, "So lernt man lernen" (1972). A right answer moves a drill to the next box, a
// wrong one back to the first, and each box waits twice as long as the one before.
import { isClear } from "./judgements.js";

export const BOXES = 5; // a right answer in the last one ends it
export const NEARLY = 1; // points; an action that expects this much less than the best is right too
const DAY = 24 * 3600 * 1000; // milliseconds

// A drill as it is kept: a decision of a game, the choice made there, the box, and the time at which it is due.
export const newDrill = (decisions, chosen, now) => ({ decisions, chosen, box: 1, due: now });

// Returns the drill after an answer at this time. It is learned when it leaves the last box.
export function move(drill, right, now) {
  if (!right) return { ...drill, box: 1, due: now };
  return { ...drill, box: drill.box + 1, due: now + daysAfter(drill.box) * DAY };
}

// Days that a drill rests after a right answer in a box.
export const daysAfter = (box) => 2 ** (box - 1);

export const isLearned = ({ box }) => box > BOXES;

// `choices` as in a hint, the best first. What may be noise is no mistake.
export function isRight(choices, action) {
  const { points, error } = choices.find((one) => one.action === action);
  const less = choices[0].points - points;
  return less <= NEARLY || !isClear(less, error);
}

export const worthOf = (choices, action) => choices.find((one) => one.action === action).points;
