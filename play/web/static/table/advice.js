// What an agent thinks of the decision: how likely it is to take each action, and the points that it expects.
import { t } from "../language.js";
import { $, actionName, levelName, make, row, signed } from "../shared/elements.js";

// An answer may take seconds.
export function drawThinking(agent, table = $("advice")) {
  table.querySelector("caption").textContent = t("{agent} is thinking …", { agent: levelName(agent) });
  table.tHead.replaceChildren();
  table.tBodies[0].replaceChildren();
  table.dataset.stale = "";
  table.hidden = false;
}

export function drawAdvice(agent, advice, table = $("advice"), chosen = null) {
  const title = { agent: levelName(agent) };
  table.querySelector("caption").textContent =
    advice.value === null
      ? t("{agent} would choose", title)
      : t("{agent} would choose, expecting {points} points this round", {
          ...title,
          points: signed(advice.value, 1),
        });
  const hasPoints = advice.choices.some((choice) => choice.points !== null);
  table.tHead.replaceChildren(row("th", ["", "", t("share"), hasPoints ? t("points") : ""]));
  table.tBodies[0].replaceChildren(
    ...advice.choices.map(({ action, share, points }) => {
      const bar = make("span", { className: "bar" });
      bar.style.width = `${100 * share}%`;
      const worth = points === null ? "" : signed(points, 1);
      const line = row("td", [actionName(action), "", `${Math.round(100 * share)}%`, worth]);
      line.cells[1].append(bar);
      if (action === chosen) line.dataset.chosen = "";
      return line;
    }),
  );
  delete table.dataset.stale;
  table.hidden = false;
}
