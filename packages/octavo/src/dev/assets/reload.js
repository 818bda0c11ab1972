/**
 * Keeps a page of a preview in step with its source: it loads itself again when the preview says so, which
 * keeps the place where the reader is, and shows what is wrong with it. Only while it is seen: a browser
 * opens six connections to a server, and each window that listens has one.
 */
(() => {
  const { page = "", version = "" } = document.currentScript.dataset;
  let events;
  let panel;

  function listen() {
    events?.close();
    events = undefined;
    if (document.visibilityState === "hidden") return;
    const query = new URLSearchParams({ page, version });
    events = new EventSource(`/_octavo/dev/events?${query.toString()}`);
    events.addEventListener("reload", () => {
      events?.close();
      location.reload();
    });
    events.addEventListener("faults", (event) => {
      show(JSON.parse(event.data));
    });
  }

  const style = `
  :host { position: fixed; inset: auto 1rem 1rem; z-index: 2147483647; }
  section { max-height: 40vh; overflow: auto; margin: 0 auto; max-width: 60rem; padding: 0.75rem 1rem; border-radius: 0.5rem;
    font: 0.875rem/1.5 ui-monospace, monospace; background: #2b1215; color: #fde8e8; box-shadow: 0 0.25rem 1.5rem #0008; }
  p { margin: 0.25rem 0; overflow-wrap: anywhere; }
  b { color: #ffb4b4; }
`;

  /** In a tree of its own, where the site's styles do not reach; and by script, where no inline style is allowed. */
  function show(faults) {
    panel?.remove();
    panel = undefined;
    if (faults.length === 0) return;
    panel = document.createElement("octavo-faults");
    const root = panel.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    root.adoptedStyleSheets = [sheet];
    const section = document.createElement("section");
    section.setAttribute("role", "status");
    for (const fault of faults) section.append(line(fault));
    root.append(section);
    document.body.append(panel);
  }

  function line({ place, message }) {
    const paragraph = document.createElement("p");
    const name = document.createElement("b");
    name.textContent = place;
    paragraph.append(name, ` ${message}`);
    return paragraph;
  }

  document.addEventListener("visibilitychange", listen);
  listen();
})();
