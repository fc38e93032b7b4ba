// Requests to the server over HTTP. Where no answer comes they are repeated, and the page says so meanwhile.
import { t } from "../language.js";
import { $, complain } from "./elements.js";
import { expectAnswer, FIRST_RETRY, LAST_RETRY, noteSilence, pause } from "./silence.js";
import { duringVisit, onEachVisit, sleep, visitSignal } from "./visit.js";

const JSON_BODY = { "Content-Type": "application/json" };
const ONCE = /^tables$|\/seats$/; // repeated, a request that was lost on its way back would take another seat
const SLOW = /\/(assessment|judgement)$/; // the server may think for long
const GETTING_READY = 503; // with the header Retry-After
const FROM_A_PROXY = [502, 504]; // that does not reach the server
const PROGRESS_EVERY = 500; // milliseconds

// The answer to a request, or null if the server refuses; the page then shows the reason.
export async function ask(address, body) {
  const [content, why] = await answerTo(address, body);
  complain(why);
  return content;
}

// The same in the background: the page shows no reason.
export const askQuietly = async (address, body) => (await answerTo(address, body))[0];

async function answerTo(address, body) {
  const post = { method: "POST", headers: JSON_BODY, body: JSON.stringify(body) };
  const once = body !== undefined && ONCE.test(address);
  const answer = await answerOf(address, body === undefined ? {} : post, once);
  if (answer === null) return [null, t("The server is not responding.")];
  try {
    const content = JSON.parse(answer.text);
    return answer.ok ? [content, ""] : [null, content.why];
  } catch {
    return [null, t("The server is not responding.")]; // something else has answered
  }
}

// The scripts that `load` imports, or null if no answer comes.
export async function loadScripts(load) {
  const heard = expectAnswer(() => {});
  try {
    return await load();
  } catch {
    return null;
  } finally {
    heard();
  }
}

// The record of a game that is over, or null.
export async function fetchRecord(table) {
  const answer = await answerOf(`tables/${table}/record`);
  return answer.ok ? answer.text : null;
}

// Sends a request until an answer comes; if it may be sent only once, null stands for none.
async function answerOf(address, options = {}, once = false) {
  let heard = null;
  for (let retry = FIRST_RETRY; ; retry = Math.min(2 * retry, LAST_RETRY)) {
    const answer = await duringVisit(attempt(address, options));
    if (answer !== null) heard?.();
    if (answer?.waits) await untilReady();
    else if (answer !== null || once) return answer;
    else {
      heard ??= noteSilence();
      await pause(retry);
    }
  }
}

async function attempt(address, options) {
  const ending = new AbortController();
  const signal = AbortSignal.any([visitSignal(), ending.signal]);
  const heard = SLOW.test(address) ? () => {} : expectAnswer(() => ending.abort());
  try {
    const answer = await fetch(address, { ...options, signal });
    if (FROM_A_PROXY.includes(answer.status)) return null;
    const waits = answer.status === GETTING_READY && answer.headers.has("Retry-After");
    return { ok: answer.ok, waits, text: await answer.text() };
  } catch {
    return null;
  } finally {
    heard();
  }
}

// --- a server that is getting ready

let progress = { ready: false, compiled: false, done: 0, total: 0 }; // the last that the server told
let preparing; // resolves when the server is ready, while it is asked
let compiling; // resolves when everything is compiled
let buttons; // those that show the progress; without any, a line does
onEachVisit(() => {
  preparing = compiling = null;
  buttons = new Set();
});

export const isReady = () => progress.ready;

export const isCompiled = () => progress.compiled;

export async function askReadiness() {
  progress = await askQuietly("ready");
}

// Waits until the server can open tables, and shows the progress.
export function untilReady() {
  preparing ??= followProgress();
  return preparing;
}

async function followProgress() {
  for (;;) {
    await askReadiness();
    for (const button of buttons) showProgress(button);
    $("starting").hidden = progress.ready || buttons.size > 0;
    $("starting").textContent = $("starting").hidden ? "" : progressText();
    if (progress.ready) break;
    await sleep(PROGRESS_EVERY);
  }
  preparing = null;
}

// Waits until all agents can act and answer.
export function untilCompiled() {
  compiling ??= followCompiling();
  return compiling;
}

async function followCompiling() {
  while (!progress.compiled) {
    await sleep(PROGRESS_EVERY);
    await askReadiness();
  }
}

const progressText = () => (progress.total ? t("Preparing {done} of {total}", progress) : t("Preparing …"));

// Keeps a button disabled until the server is ready; meanwhile it shows the progress.
export async function enableWhenReady(button) {
  if (progress.ready) return;
  const label = [...button.childNodes];
  buttons.add(button);
  showProgress(button);
  await untilReady();
  button.replaceChildren(...label);
  button.disabled = false;
}

function showProgress(button) {
  button.disabled = true;
  button.textContent = progressText();
}
