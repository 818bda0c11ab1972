import { recall, remember } from "./memory.ts";
import { findAll, make } from "./page.ts";

/** A page's views (`[data-view]`): one is shown, and the buttons above the first change it. */
export function startViews(): void {
  const views = findAll("[data-view]");
  const titles = [...new Set(views.map((view) => view.dataset["view"] ?? ""))];
  if (titles.length < 2) return;

  const buttons = titles.map((title) => {
    const heading = views.find((view) => view.dataset["view"] === title)?.firstElementChild;
    const label = heading ? [...heading.cloneNode(true).childNodes] : [title];
    return make("button", { class: "tab-button", type: "button" }, ...label);
  });
  const show = (shown: string) => {
    for (const view of views) view.hidden = view.dataset["view"] !== shown;
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
