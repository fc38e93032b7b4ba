// A sentence about luck and skill in one round: what the cards brought a seat, and what its choices cost.
import { t, tn } from "../language.js";
import { decimal, signed } from "../shared/numbers.js";
import { isLoss } from "./sheet.js";

const LUCK = 5; // points; less is called neither good nor bad

export function fortuneText({ seats, decisions }, seat) {
  const losses = decisions.filter((one) => one.seat === seat && isLoss(one));
  return t("{luck}; {loss}.", { luck: luckText(seats[seat].luck), loss: lossText(losses) });
}

function luckText(luck) {
  const points = signed(luck);
  if (luck >= LUCK) return t("Good luck, {points}", { points });
  if (luck <= -LUCK) return t("Bad luck, {points}", { points });
  return t("Neither good nor bad luck");
}

function lossText(losses) {
  if (!losses.length) return t("you made no costly choice");
  const points = decimal(losses.reduce((sum, { lost }) => sum + lost, 0));
  if (losses.length === 1 && losses[0].chosen.startsWith("bid"))
    return t("your bid cost {points}", { points });
  if (losses.length === 1 && losses[0].chosen.startsWith("trump"))
    return t("your choice of trump cost {points}", { points });
  return tn("one card cost you {points}", "{count} choices cost you {points}", losses.length, { points });
}
