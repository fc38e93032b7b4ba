/* Browsers start no workers from local files. This runs the worker that search needs in a hidden frame instead. */

if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = `<script src="${url}"></script>`;
      this.begun = new Promise((begin) => {
        frame.addEventListener("load", () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          begin(inside);
        });
      });
      document.body.append(frame);
    }

    async postMessage(data) {
      (await this.begun).dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
