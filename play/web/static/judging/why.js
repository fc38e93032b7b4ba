// Why: for each legal action the points that an agent expects, and the chance that the bid is met.
import { t } from "../language.js";
import { $, actionName, levelName, make, row, sign, signed } from "../shared/elements.js";

// The actions that are worth the most come first. In a drill, what is chosen and what was chosen before are marked.
export function drawWhy(agent, { choices, value }, chosen = null, before = null) {
  const sorted = choices.toSorted((one, other) => other.points - one.points);
  const points = signed(value, 1);
  $("advice").querySelector("caption").textContent = t("{agent} expects {points} points this round", {
    agent: levelName(agent),
    points,
  });
  $("advice").tHead.replaceChildren(row("th", ["", "", t("meets the bid"), t("points")]));
  $("advice").tBodies[0].replaceChildren(
    ...sorted.map(({ action, met, points }) => {
      const bar = make("span", { className: "bar" });
      bar.style.width = `${100 * met}%`;
      const chance = `${Math.round(100 * met)}%`;
      const line = row("td", [actionName(action), "", chance, signed(points, 1)]);
      line.cells[1].append(bar);
      if (action === chosen) line.dataset.chosen = "";
      if (action === before) line.cells[0].append(" ", sign("then", "↺", t("then")));
      return line;
    }),
  );
  delete $("advice").dataset.stale;
  $("advice").hidden = false;
  return sorted[0].action;
}
