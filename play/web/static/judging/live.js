// Luck and skill at the table: after each round, what your decisions lost and what the cards brought.
import { t } from "../language.js";
import { RESULT } from "../shared/address.js";
import { $, make } from "../shared/elements.js";
import { keepsLuckOpen, saveLuckOpen } from "../shared/storage.js";
import { judgedRound } from "./rounds.js";
import { costliest, notesOn, sentence, sumsOf } from "./sheet.js";

let judged = []; // the judgements of the first rounds, in order
let asking = false; // for a judgement
let latest = null; // the latest view

// Called with each view. Nothing is asked while the sheet is closed.
export function followLuck(view, judges) {
  latest = view;
  $("luck").hidden = !judges.length || view.you === null || !view.scene.pad.length;
  if (!$("luck").ontoggle) {
    $("luck").open = keepsLuckOpen();
    $("luck").ontoggle = () => {
      saveLuckOpen($("luck").open);
      judgeNext(judges[0]);
    };
  }
  judged = judged.slice(0, view.scene.pad.length); // rounds may have been taken back
  draw();
  judgeNext(judges[0]);
}

async function judgeNext(agent) {
  if (asking) return;
  asking = true;
  while (!$("luck").hidden && $("luck").open && judged.length < latest.scene.pad.length) {
    const number = judged.length + 1;
    const scored = JSON.stringify(latest.scene.pad[number - 1]);
    const judgement = await judgedRound(latest.table, number, agent);
    if (judgement === null) break;
    if (JSON.stringify(latest.scene.pad[number - 1]) === scored) judged.push(judgement);
    draw();
  }
  asking = false;
}

function draw() {
  const { you, scene, table } = latest;
  const sheet = $("luck").querySelector("div");
  if (!judged.length) return sheet.replaceChildren(t("The judge is at work …"));
  const losses = costliest(judged.slice(-1), you, 1);
  sheet.replaceChildren(
    ...losses.map((one) => make("p", { className: "losses", textContent: sentence(one) })),
    sumsOf(judged, you),
  );
  if (scene.pad.length > judged.length) sheet.append(make("p", {}, t("The judge is at work …")));
  sheet.append(...notesOn(judged));
  if (scene.phase !== "over") return;
  const page = { href: `#${RESULT}${table}/${you}`, textContent: t("Share your result") };
  sheet.append(make("p", {}, make("a", page)));
}
