// Pages that a first visit does without: they are loaded when the first of them is opened.
import { showDrills } from "./drills/drills.js";
import { showMatch } from "./duplicate/match.js";
import { showResult } from "./judging/result.js";
import { readLink } from "./study/link.js";
import { showReview } from "./study/review.js";

export { readLink, showDrills, showMatch, showResult, showReview };
