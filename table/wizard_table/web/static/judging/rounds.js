// Asks for the judgements of a table's rounds, one after the other, in the background.
import { askQuietly } from "../shared/connection.js";
import { savedToken } from "../shared/storage.js";
import { sleep } from "../shared/visit.js";

const AGAIN = 3000; // milliseconds until a round is asked for again that could not be judged
const TRIES = 5;

// The judgements of all rounds of a game that is over, in order, or null if one fails. `report` gets those so far.
export async function judgedGame(table, rounds, agent, report) {
  const judged = [];
  while (judged.length < rounds) {
    report(judged);
    const judgement = await judgedRound(table, judged.length + 1, agent);
    if (judgement === null) return null;
    judged.push(judgement);
  }
  return judged;
}

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
