// Pages that a first visit does without: they are loaded when the first of them is opened.

import { showDrills } from "./pages/drills.js";
import { showMatch } from "./pages/match.js";
import { showProfile } from "./pages/profile.js";
import { showResult } from "./pages/result.js";
import { showReview } from "./pages/review.js";
import { showSheet } from "./pages/sheet.js";
import "./pages/style.js";

export { showDrills, showMatch, showProfile, showResult, showReview, showSheet };
