// Luck and skill on paper: the sums of judged rounds, and the decisions that lost the most.
import { t } from "../language.js";
import { actionName, make, row, signed } from "../shared/elements.js";

const LEAST_LOSS = 0.05; // points; a smaller difference is not called a loss

// A table of what a seat scored in each of these rounds: points = par + luck - lost.
export function sumsOf(judged, seat) {
  const total = { points: 0, par: 0, luck: 0, lost: 0 };
  const lines = judged.map(({ round_number, par, seats }) => {
    const sums = { ...seats[seat], par };
    for (const name of Object.keys(total)) total[name] += sums[name];
    return figures(`${round_number}`, sums);
  });
  return make(
    "table",
    { className: "sums" },
    make(
      "thead",
      {},
      row("th", [t("Round"), t("points"), `= ${t("par")}`, `+ ${t("luck")}`, `− ${t("lost")}`]),
    ),
    make("tbody", {}, ...lines),
    make("tfoot", {}, figures(t("Sum"), total)),
  );
}

const figures = (name, { points, par, luck, lost }) =>
  row("td", [name, signed(points), signed(par, 1), signed(luck, 1), signed(lost, 1).replace("+", "")]);

// The decisions of a seat that lost the most, the dearest first.
export const dearest = (judged, seat, most) =>
  judged
    .flatMap(({ decisions }) => decisions)
    .filter((one) => one.seat === seat && one.chosen !== one.best && one.lost >= LEAST_LOSS)
    .sort((one, other) => other.lost - one.lost)
    .slice(0, most);

export const sentence = ({ round_number, chosen, best, lost }) =>
  t("Round {number}: {chosen} instead of {better}: {points}", {
    number: round_number,
    chosen: actionName(chosen),
    better: best.startsWith("bid") ? best.split(" ")[1] : actionName(best),
    points: signed(-lost, 1),
  });

// Who judged, and how long that took.
export function judgeOf(judged) {
  const seconds = judged.reduce((sum, one) => sum + one.seconds, 0).toFixed(1);
  return make("p", {
    className: "note",
    textContent: t("Judged by {agent} in {seconds} s, by what the seat knew.", {
      agent: judged[0].analyst,
      seconds,
    }),
  });
}

export const explanation = () =>
  make("p", {
    className: "note",
    textContent: t(
      "Par is what the table could expect of these cards. Lost is what other choices would have brought; less than nothing is chance. Luck is all else.",
    ),
  });
