import assert from "node:assert";
import { readFileSync } from "node:fs";
import test from "node:test";
import { load } from "./browser.mjs";

const { actionName, backs, card, cardName, chip, describe, playsOf } = await load("drawings/cards.js");
const { icon } = await load("drawings/icons.js");

const RANKS = [..."23456789TJQKA"];
const DECK = [..."SHDC"].flatMap((suit) => RANKS.map((rank) => rank + suit)).concat("WI", "JE");

// All elements in one, itself included.
const within = (element) => [element, ...element.children.filter((one) => one.tag).flatMap(within)];
const shapes = (element) => within(element).filter(({ tag }) => tag === "path");

test("actions and cards have names", () => {
  assert.equal(cardName("TS"), "10 of piques");
  assert.equal(cardName("JE"), "Jester");
  assert.deepEqual(["play QH", "trump S", "bid 3", "bid"].map(actionName), [
    "Queen of hearts",
    "piques as trump",
    "bid 3",
    "bid",
  ]);
  assert.equal(describe("Ann", "play WI"), "Ann plays: Wizard.");
  assert.equal(describe("Ann", "bid 2"), "Ann bids 2.");
});

test("every card and every chip has a name, and is drawn without text", () => {
  for (const name of DECK) {
    for (const element of [card(name), card(name, "button"), chip(name)]) {
      assert.equal(element.ariaLabel, cardName(name));
      assert.ok(shapes(element).length > 0);
      for (const { d } of shapes(element)) assert.match(d, /^M[-\d. MLHVCSQTAZ]+$/);
    }
  }
});

test("a number card has as many pips as its number", () => {
  const pips = (name) => within(card(name)).find((one) => one.class === "pips").children.length;
  assert.deepEqual(RANKS.slice(0, 9).map((rank) => pips(`${rank}H`)), [2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal(pips("AC"), 2); // one, and the star on it
});

test("hands of others have a back for each card", () => {
  const fan = backs(7);
  assert.equal(fan.ariaLabel, "7 cards");
  assert.equal(fan.children.length, 7);
  assert.deepEqual(fan.children.map(({ style }) => Number(style["--bend"])).slice(0, 4), [-1, -0.67, -0.33, 0]);
  assert.equal(backs(1).children[0].style["--bend"], "0.00");
});

test("every icon of the page has a shape, and an unknown one fails", () => {
  const page = readFileSync(new URL("../../../wizard_table/web/static/index.html", import.meta.url), "utf8");
  const names = [...page.matchAll(/data-icon="(\w+)"/g)].map(([, name]) => name);
  assert.ok(names.includes("hint"));
  for (const name of names) assert.ok(shapes(icon(name))[0].d.startsWith("M"));
  assert.throws(() => icon("nonsense"), /nonsense/);
});

test("the cards of a trick belong to the seats from its leader on", () => {
  assert.deepEqual(playsOf({ leader: 2, cards: ["7H", "WI", "JE"] }, 3), [
    [2, "7H"],
    [0, "WI"],
    [1, "JE"],
  ]);
});
