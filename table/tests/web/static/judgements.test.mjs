import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

const { addUp, costliest, isLoss, sentence, worthText } = await load("pages/judgements.js");

const decision = (seat, lost, others = {}) => ({
  round_number: 2,
  seat,
  lost,
  error: 0,
  chosen: "play 7H",
  best: "play WI",
  ...others,
});

test("the costliest decisions of a seat come first, and those that lost nothing are left out", () => {
  const [first, second, third] = [decision(1, 12.5), decision(1, 3), decision(1, 2)];
  const nothing = [decision(1, 0.04), decision(1, 9, { best: "play 7H" }), decision(0, 20)];
  const judged = [{ decisions: [third, ...nothing] }, { decisions: [second, first] }];
  assert.deepEqual(costliest(judged, 1, 2), [first, second]);
  assert.deepEqual(costliest(judged, 1, 9), [first, second, third]);
  assert.deepEqual(costliest(judged, 2, 9), []);
  assert.equal(isLoss(decision(1, 0.05)), true);
  assert.equal(isLoss(decision(1, 5, { error: 2.4 })), true);
  assert.equal(isLoss(decision(1, 5, { error: 2.5 })), false);
});

test("sums add up over the rounds", () => {
  const seats = [
    { points: -10, luck: 2, lost: 17 },
    { points: 30, luck: 26, lost: 1 },
  ];
  const judged = [
    { round_number: 1, par: 5, seats },
    { round_number: 2, par: -3, seats },
  ];
  const { rounds, total } = addUp(judged, 1);
  assert.deepEqual(
    rounds.map(({ round_number, par, points }) => [round_number, par, points]),
    [
      [1, 5, 30],
      [2, -3, 30],
    ],
  );
  assert.deepEqual(total, { points: 60, par: 2, luck: 52, lost: 2 });
  assert.equal(worthText(judged, 1), "These cards were worth about 2 points and brought 60.");
});

test("a costly decision is a sentence", () => {
  assert.equal(sentence(decision(0, 12.34)), "Round 2: 7 of hearts instead of Wizard cost about 12 points");
  const bid = decision(0, 3, { chosen: "bid 1", best: "bid 0" });
  assert.equal(sentence(bid), "Round 2: bid 1 instead of 0 cost about 3 points");
  const small = decision(0, 0.8, { chosen: "bid 1", best: "bid 0" });
  assert.equal(sentence(small), "Round 2: bid 1 instead of 0 cost about 1 point");
});
