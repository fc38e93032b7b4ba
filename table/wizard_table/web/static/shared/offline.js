// Has the browser keep what the score sheet and the puzzles need without a network, where it lets pages do so.
export const keepOffline = () => navigator.serviceWorker?.register("worker.js").catch(() => {});
