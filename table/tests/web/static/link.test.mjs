import assert from "node:assert";
import test from "node:test";
import { load } from "./browser.mjs";

const { linkTo, readLink } = await load("study/link.js");
const RECORD = JSON.stringify({ seed: "18446744073709551615", players: ["Ann", "Núria"], actions: "ÿ".repeat(500) });

const pageOf = (link) => link.slice(link.indexOf("#") + 1);

test("a link holds the whole record and the moment", async () => {
  const link = await linkTo(RECORD, 17);
  assert.match(link, /^http:\/\/localhost\/#study\/[\w-]+\/17$/);
  assert.deepEqual(await readLink(pageOf(link)), { record: RECORD, decisions: 17 });
});

test("a link without a moment begins at the first decision", async () => {
  const page = pageOf(await linkTo(RECORD, 17));
  const { decisions } = await readLink(page.slice(0, page.lastIndexOf("/")));
  assert.equal(decisions, 0);
});

test("a damaged link is no link", async () => {
  const page = pageOf(await linkTo(RECORD, 17));
  for (const damaged of [page.slice(0, 20), page.replace("study/", "study/!"), "study/", "study/AAAA/3"]) {
    assert.equal(await readLink(damaged), null, damaged);
  }
});
