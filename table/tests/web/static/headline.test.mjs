import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

const { challenge, costText } = await load("pages/headline.js");

const decision = (chosen, lost, seat = 1) => ({ round_number: 2, seat, lost, error: 0, chosen, best: "play WI" });

test("the costliest decision is told, if it cost enough to tell", () => {
  const judged = [{ decisions: [decision("bid 3", 31.4), decision("play 7H", 12), decision("trump S", 60, 0)] }];
  assert.equal(costText(judged, 1), "One bid cost 31 points.");
  assert.equal(costText(judged, 0), "One choice of trump cost 60 points.");
  assert.equal(costText([{ decisions: [decision("play 7H", 4.9)] }], 1), "");
  assert.equal(costText([{ decisions: [decision("play 7H", 5)] }], 1), "One card cost 5 points.");
  assert.equal(costText(judged, 2), "");
});

test("a result is a challenge if others can play its deals", () => {
  const result = { place: 2, players: 4, points: 180, cost: "One bid cost 31 points.", hinted: false, match: "abc" };
  assert.equal(challenge(result), "Wizard: 2nd of 4, +180. One bid cost 31 points. Can you do better?");
  const alone = { ...result, cost: "", hinted: true, match: null };
  assert.equal(challenge(alone), "Wizard: 2nd of 4, +180. Played with hints.");
  const again = { ...result, cost: "", taken_back: true };
  assert.equal(challenge(again), "Wizard: 2nd of 4, +180 (choices taken back). Can you do better?");
});
