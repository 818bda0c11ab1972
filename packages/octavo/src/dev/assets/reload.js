/**
 * Keeps a page of the preview up to date: reloads it when its source has changed, which preserves the scroll position,
 * and shows its errors. Listens only while the page is visible, because a browser opens at most six connections to a
 * server, and each listening window uses one.
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
      showFaults(JSON.parse(event.data));
    });
  }

  const style = `
  :host { position: fixed; inset: auto 1rem 1rem; z-index: 2147483647; }
  section { max-height: 40vh; overflow: auto; margin: 0 auto; max-width: 60rem; padding: 0.75rem 1rem; border-radius: 0.5rem;
    font: 0.875rem/1.5 ui-monospace, monospace; background: #2b1215; color: #fde8e8; box-shadow: 0 0.25rem 1.5rem #0008; }
  p { margin: 0.25rem 0; overflow-wrap: anywhere; }
  b { color: #ffb4b4; }
`;

  // A shadow root keeps the site's styles out. The style sheet is constructed, because the page may forbid inline styles.
  function showFaults(faults) {
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
    for (const fault of faults) section.append(createFaultLine(fault));
    root.append(section);
    document.body.append(panel);
  }

  function createFaultLine({ place, message }) {
    const paragraph = document.createElement("p");
    const name = document.createElement("b");
    name.textContent = place;
    paragraph.append(name, ` ${message}`);
    return paragraph;
  }

  document.addEventListener("visibilitychange", listen);
  listen();
})();
