import { recall, remember } from "./memory.ts";
import { findAll, make } from "./page.ts";

/** Finds the entries of the table of contents that lead into a view; they are shown only with the view. */
function entriesOf(view: HTMLElement): HTMLElement[] {
  return findAll(".toc-item").filter((entry) => {
    const id = decodeURIComponent((entry.getAttribute("href") ?? "").slice(1));
    return view.contains(document.getElementById(id));
  });
}

/** Shows one of a page's views (`[data-view]`) at a time; the buttons above the first switch between them. */
export function startViews(): void {
  const views = findAll("[data-view]");
  const titles = [...new Set(views.map((view) => view.dataset["view"] ?? ""))];
  if (titles.length < 2) return;

  const buttons = titles.map((title) => {
    const heading = views.find((view) => view.dataset["view"] === title)?.firstElementChild;
    const label = heading ? [...heading.cloneNode(true).childNodes] : [title];
    return make("button", { class: "tab-button", type: "button" }, ...label);
  });
  const entries = views.map((view) => entriesOf(view));
  const show = (shown: string) => {
    for (const [at, view] of views.entries()) {
      view.hidden = view.dataset["view"] !== shown;
      for (const { parentElement } of entries[at] ?? []) {
        if (parentElement) parentElement.hidden = view.hidden;
      }
    }
    for (const [at, button] of buttons.entries()) {
      button.setAttribute("aria-pressed", String(titles[at] === shown));
    }
  };
  for (const [at, button] of buttons.entries()) {
    button.addEventListener("click", () => {
      show(titles[at] ?? "");
      remember("view", titles[at] ?? "");
    });
  }
  for (const view of views) {
    view.dataset["live"] = "";
    view.addEventListener("octavo:show", () => show(view.dataset["view"] ?? ""));
  }
  views[0]?.before(make("div", { id: "multi-view", class: "tab-list", role: "group" }, ...buttons));
  const known = recall("view") ?? "";
  show(titles.includes(known) ? known : (titles[0] ?? ""));
}
