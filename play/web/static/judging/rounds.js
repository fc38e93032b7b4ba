// Asks for the judgements of a table's rounds, one after the other, in the background.
import { askQuietly } from "../shared/connection.js";
import { sleep } from "../shared/elements.js";
import { savedToken } from "../shared/storage.js";

const AGAIN = 3000; // milliseconds until a round is asked for again that could not be judged
const TRIES = 5;

// The judgement of a round, or null if the server refuses again and again.
export async function judgedRound(table, round_number, agent) {
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries) await sleep(AGAIN);
    const asked = { round_number, agent, token: savedToken(table) };
    const judged = await askQuietly(`tables/${table}/judgement`, asked);
    if (judged) return { ...judged, round_number };
  }
  return null;
}
