// Luck and skill at the table: each finished round is judged in the background.
import { t } from "../language.js";
import { $, make } from "../shared/elements.js";
import { keepsLuckOpen, saveLuckOpen } from "../shared/storage.js";
import { onEachVisit } from "../shared/visit.js";
import { fortuneText } from "./fortune.js";
import { judgedRound } from "./rounds.js";
import { costliest, notesOn, sentence, sumsOf } from "./sheet.js";

let judged; // the judgements of the first rounds, in order
let asking; // for a judgement
let failed; // the last one that was asked for
let waiting; // what is called when the next round has been judged, or could not be
let latest = null; // the latest view
let judge = null; // the agent that judges; null if none can
onEachVisit(() => {
  judged = [];
  waiting = [];
  asking = failed = false;
});

// Called with each view.
export function followLuck(view, agent) {
  latest = view;
  judge = view.you === null ? null : agent;
  $("luck").hidden = judge === null || !view.scene.pad.length;
  if (!$("luck").ontoggle) {
    $("luck").open = keepsLuckOpen();
    $("luck").ontoggle = () => saveLuckOpen($("luck").open);
  }
  judged = judged.slice(0, view.scene.pad.length); // rounds may have been taken back
  draw();
  judgeNext();
}

async function judgeNext() {
  if (asking || judge === null) return;
  asking = true;
  failed = false;
  while (!failed && judged.length < latest.scene.pad.length) {
    const number = judged.length + 1;
    const scored = JSON.stringify(latest.scene.pad[number - 1]);
    const judgement = await judgedRound(latest.table, number, judge);
    failed = judgement === null;
    if (!failed && JSON.stringify(latest.scene.pad[number - 1]) === scored) judged.push(judgement);
    draw();
    for (const wake of waiting.splice(0)) wake();
  }
  asking = false;
}

const nextJudgement = () => new Promise((wake) => waiting.push(wake));

// A sentence about the reader's luck and skill in the nth round, or null if it cannot be judged.
export async function fortuneOf(number) {
  while (judged.length < number) {
    if (judge === null || failed || latest.scene.pad.length < number) return null;
    await nextJudgement();
  }
  return fortuneText(judged[number - 1], latest.you);
}

// The judgements of all rounds, or null if one fails. `report` gets the number of rounds judged so far.
export async function wholeGame(report) {
  while (judged.length < latest.scene.pad.length) {
    if (judge === null || failed) return null;
    report(judged.length);
    await nextJudgement();
  }
  return judged;
}

function draw() {
  const { you, scene } = latest;
  const sheet = $("luck").querySelector("div");
  if (!judged.length) return sheet.replaceChildren(t("The judge is at work …"));
  const losses = costliest(judged.slice(-1), you, 1);
  sheet.replaceChildren(
    ...losses.map((one) => make("p", { className: "losses", textContent: sentence(one) })),
    sumsOf(judged, you),
  );
  if (scene.pad.length > judged.length) sheet.append(t("The judge is at work …"));
  sheet.append(...notesOn(judged));
}
