// A result in a few words: the place, the points, and the decision that cost the most.
import { signed, t } from "../language.js";
import { placeText } from "../shared/elements.js";
import { costliest } from "./judgements.js";

const WORTH_TELLING = 5; // points; the server has the same limit, in preview.py

// "One bid cost 31 points."; "" if no decision was costly.
export function costText(judged, seat) {
  const [worst] = costliest(judged, seat, 1);
  if (!worst || worst.lost < WORTH_TELLING) return "";
  const points = Math.round(worst.lost);
  if (worst.chosen.startsWith("bid")) return t("One bid cost {points} points.", { points });
  if (worst.chosen.startsWith("trump")) return t("One choice of trump cost {points} points.", { points });
  return t("One card cost {points} points.", { points });
}

// "Wizard: 2nd of 4, +180. One bid cost 31 points. Can you do better?"
export function challenge({ place, players, points, cost, hinted, taken_back, match }) {
  const mark = taken_back ? ` (${t("choices taken back")})` : "";
  const sentences = [
    `Wizard: ${placeText(place, players)}, ${signed(points)}${mark}.`,
    cost,
    hinted ? t("Played with hints.") : "",
    match ? t("Can you do better?") : "",
  ];
  return sentences.filter(Boolean).join(" ");
}
