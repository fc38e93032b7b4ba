// A visit: one page shown in the document, until the address names another. All pages share the document and the
// modules; ending a visit undoes what its page has left there.
let visit = new AbortController();
const resets = [];
let blank = null; // the page's elements before anything was shown

// Ends with the visit: for listeners, timers and requests.
export const visitSignal = () => visit.signal;

// Sets the state of a module: now, and again whenever a visit ends.
export function onEachVisit(reset) {
  resets.push(reset);
  reset();
}

// The outcome of a promise, or none once the visit is over: whatever waits for it never goes on.
export async function duringVisit(promise) {
  const { signal } = visit;
  try {
    return await promise;
  } finally {
    if (signal.aborted) await new Promise(() => {});
  }
}

export const sleep = (milliseconds) => duringVisit(new Promise((wake) => setTimeout(wake, milliseconds)));

// Keeps the elements as they are, for every visit to begin with.
export function keepBlankPage() {
  blank = document.querySelector("main").cloneNode(true);
}

export function endVisit() {
  visit.abort();
  visit = new AbortController();
  for (const reset of resets) reset();
  document.querySelector("main").replaceWith(blank.cloneNode(true));
  delete document.body.dataset.page;
  document.title = "Wizard";
  scrollTo(0, 0);
}
