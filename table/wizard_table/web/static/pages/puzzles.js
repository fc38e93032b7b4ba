// The puzzles that the server ships: decisions with one clearly best choice, and the figures of every choice. This
// browser keeps the box of each one that was answered; those that are learned stay in the last.
import { ask } from "../shared/connection.js";
import { savedPuzzles, savePuzzles } from "../shared/storage.js";
import { isLearned, move } from "./boxes.js";

let puzzles = []; // all of them, once they are here

export async function fetchPuzzles() {
  if (!puzzles.length) puzzles = (await ask("puzzles"))?.puzzles ?? [];
}

// The puzzles that are not learned yet, in the order in which they are due, each with its number and its box. One
// that was never answered is due now.
function unlearned(now) {
  const saved = savedPuzzles();
  return puzzles
    .map((one, index) => ({ ...one, ...(saved[one.name] ?? { box: 1, due: now }), number: index + 1 }))
    .filter((one) => !isLearned(one))
    .toSorted((one, other) => one.due - other.due);
}

export const duePuzzles = (now) => unlearned(now).filter(({ due }) => due <= now);
export const restingPuzzles = (now) => unlearned(now).filter(({ due }) => due > now);

// Moves a puzzle to another box after an answer, and returns it.
export function savePuzzle(puzzle, right, now) {
  const { box, due } = move(puzzle, right, now);
  savePuzzles({ ...savedPuzzles(), [puzzle.name]: { box, due } });
  return { ...puzzle, box, due };
}
