import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

const { linesOf, nextCall, roundsOf } = await load("pages/scoring.js");
const NAMES = ["Ann", "Ben", "Cid", "Dan"];
const POINTS = Array.from({ length: 21 }, (_, bid) =>
  Array.from({ length: 21 }, (_, won) => (bid === won ? 20 + 10 * won : -10 * Math.abs(bid - won))),
);
const sheet = (numbers, hook = false, names = NAMES) => ({ names, hook, numbers });
const asked = (numbers, hook, names) => {
  const one = sheet(numbers, hook, names);
  return nextCall(one, roundsOf(one));
};

test("bids are called from the dealer's left, and the dealer comes last", () => {
  assert.deepEqual(asked([]), { player: 1, isBid: true, most: 1, forbidden: null });
  assert.deepEqual(asked([0, 0, 1]), { player: 0, isBid: true, most: 1, forbidden: null });
  const second = [0, 0, 1, 0, 0, 0, 1]; // the fourth won nothing
  assert.deepEqual(asked(second), { player: 2, isBid: true, most: 2, forbidden: null });
});

test("the dealer may not make the bids add up to the tricks, where that is the rule", () => {
  assert.equal(asked([0, 0, 1], true).forbidden, 0);
  assert.equal(asked([0, 0, 0], true).forbidden, 1);
  assert.equal(asked([0, 1, 1], true).forbidden, null);
  assert.equal(asked([0, 0], true).forbidden, null);
  assert.equal(asked([0, 0, 1], false).forbidden, null);
});

test("nobody wins more tricks than are left, and the last player wins those", () => {
  const bids = [0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0];
  assert.deepEqual(asked([...bids, 1]), { player: 3, isBid: false, most: 1, forbidden: null });
  const [, second] = roundsOf(sheet([...bids, 1, 0, 0]));
  assert.deepEqual([second.called, second.won, second.isOver], [[2, 3, 0, 1], [1, 0, 0, 1], true]);
});

test("points and totals are each player's own", () => {
  const one = sheet([0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0]);
  const [first, second] = linesOf(one, roundsOf(one), POINTS);
  assert.deepEqual(
    first.cells.map(({ points }) => points),
    [20, 20, 20, 30],
  );
  assert.deepEqual(second.cells, [
    { bid: 0, won: 0, points: 20, total: 40 },
    { bid: 0, won: 1, points: -10, total: 10 },
    { bid: 1, won: 1, points: 30, total: 50 },
    { bid: 1, won: 0, points: -10, total: 20 },
  ]);
});

for (const [players, rounds] of [[3, 20], [4, 15], [5, 12], [6, 10]])
  test(`a game of ${players} has ${rounds} rounds`, () => {
    const names = Array.from({ length: players }, (_, number) => `${number}`);
    const numbers = Array(rounds * (2 * players - 1)).fill(0);
    assert.equal(asked(numbers, true, names), null);
    assert.equal(roundsOf(sheet(numbers, true, names)).length, rounds);
    assert.equal(asked(numbers.slice(1), true, names).isBid, false);
  });
