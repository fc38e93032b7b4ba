import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

const { recognisedText } = await load("table/advice.js");

test("a recognised player is told in words", () => {
  const told = (kind, bids = null) => recognisedText({ kind, bids }, "Ann");
  assert.equal(told("rule_based", "high"), "Ann plays like Easy and bids high");
  assert.equal(told("champion"), "Ann plays like Champion");
  assert.equal(told("copy", "low"), "Ann plays like Master and bids low");
  assert.equal(told("learned"), "Ann plays like a trained network");
  assert.equal(told("unknown"), "Ann has a style of their own");
});
