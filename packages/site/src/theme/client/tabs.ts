import { recall, remember } from "./memory.ts";
import { findAll, make } from "./page.ts";
import { nameInAddress } from "./target.ts";
import { words } from "./words.ts";

interface TabSet {
  readonly isSynced: boolean;
  readonly titles: readonly string[];
  select(index: number): void;
}

/**
 * Converts the sections in each `[data-tabs]` of the page, or of a part that was added to it, to tabs. Without scripts,
 * the sections are shown below each other.
 */
export function startTabs(within?: ParentNode): void {
  const sets: TabSet[] = [];
  const previousCount = findAll("[data-tabs][data-live]").length;
  const selectEverywhere = (title: string) => {
    for (const set of sets) {
      const index = set.titles.indexOf(title);
      if (set.isSynced && index >= 0) set.select(index);
    }
  };
  for (const [at, box] of findAll("[data-tabs]", within).entries()) {
    const panels = [...box.children].filter(
      (child): child is HTMLElement =>
        child instanceof HTMLElement && child.classList.contains("tab-panel"),
    );
    if (panels.length > 0)
      sets.push(makeTabs(box, { panels, at: previousCount + at, selectEverywhere }));
  }
  const storedTitles = (recall("tabs") ?? "").split("\n");
  // The latest choice is first in the list. It is applied last, so that it takes precedence.
  for (const title of storedTitles.toReversed()) if (title !== "") selectEverywhere(title);
}

interface TabParts {
  readonly panels: readonly HTMLElement[];
  /** The number of the tab set on the page, for ids. */
  readonly at: number;
  selectEverywhere(title: string): void;
}

/** The control with which a reader selects a panel. */
interface Chooser {
  readonly element: HTMLElement;
  /** Marks the panel with this index as selected. */
  mark(index: number): void;
  focus(index: number): void;
}

function makeTabs(box: HTMLElement, parts: TabParts): TabSet {
  const { panels, at } = parts;
  const titles = panels.map((panel) => panel.dataset["title"] ?? "");
  const addresses = panels.map(({ id }) => id);
  const isSynced = box.dataset["sync"] !== "false";
  const chooser =
    "dropdown" in box.dataset ? makeDropdown(titles, choose) : makeTabList(panels, at, choose);

  function select(index: number): void {
    for (const [other, panel] of panels.entries()) panel.hidden = other !== index;
    chooser.mark(index);
    box.dataset["selected"] = titles[index] ?? "";
  }

  function choose(index: number): void {
    const topBefore = chooser.element.getBoundingClientRect().top;
    select(index);
    chooser.focus(index);
    const title = titles[index] ?? "";
    if (isSynced) {
      parts.selectEverywhere(title);
      rememberTitle(title);
    }
    nameInAddress(addresses[index] ?? "");
    // Panels above may change their height, but this must not move the tab away from the pointer.
    const shift = chooser.element.getBoundingClientRect().top - topBefore;
    scrollBy({ top: shift, behavior: "instant" });
  }

  for (const panel of panels)
    panel.addEventListener("octavo:show", () => select(panels.indexOf(panel)));

  box.prepend(chooser.element);
  const initial = Number(box.dataset["first"] ?? 0);
  select(initial < panels.length ? initial : 0);
  box.dataset["live"] = "";
  return { isSynced, titles, select };
}

function makeTabList(
  panels: readonly HTMLElement[],
  at: number,
  choose: (index: number) => void,
): Chooser {
  const tabs = panels.map((panel, index) => makeTab(panel, `tab-${at}-${index}`));
  const element = make("div", { class: "tab-list", role: "tablist" }, ...tabs);
  element.addEventListener("click", (event) => {
    const index = tabs.findIndex((tab) => tab.contains(event.target as Node));
    if (index >= 0) choose(index);
  });
  element.addEventListener("keydown", (event) => {
    const index = tabs.findIndex((tab) => tab === document.activeElement);
    const next = findNeighbor(event.key, index, tabs.length);
    if (index < 0 || next === undefined) return;
    event.preventDefault();
    choose(next);
  });
  return {
    element,
    mark(index) {
      for (const [other, tab] of tabs.entries()) {
        tab.setAttribute("aria-selected", String(other === index));
        tab.setAttribute("tabindex", other === index ? "0" : "-1");
      }
    },
    focus: (index) => tabs[index]?.focus(),
  };
}

function makeTab(panel: HTMLElement, tabId: string): HTMLButtonElement {
  const heading = panel.querySelector(":scope > .tab-title");
  const label = heading ? [...heading.cloneNode(true).childNodes] : [panel.dataset["title"] ?? ""];
  const tab = make(
    "button",
    { role: "tab", type: "button", id: tabId, class: "tab-button" },
    ...label,
  );

  panel.id ||= `${tabId}-panel`;
  tab.setAttribute("aria-controls", panel.id);
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", tabId);
  return tab;
}

function makeDropdown(titles: readonly string[], choose: (index: number) => void): Chooser {
  const options = titles.map((title) => make("option", {}, title));
  const list = make("select", { class: "tab-select", "aria-label": words.language }, ...options);
  list.addEventListener("change", () => choose(list.selectedIndex));
  return {
    element: make("div", { class: "tab-list" }, list),
    mark(index) {
      list.selectedIndex = index;
    },
    focus: () => list.focus(),
  };
}

function findNeighbor(key: string, index: number, count: number): number | undefined {
  const isReversed = document.documentElement.dir === "rtl";
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (key === (isReversed ? "ArrowLeft" : "ArrowRight")) return (index + 1) % count;
  if (key === (isReversed ? "ArrowRight" : "ArrowLeft")) return (index - 1 + count) % count;
  return undefined;
}

/**
 * The maximum number of stored choices, latest first. It is enough for a language, a package manager and a few more.
 */
const maxRemembered = 8;

function rememberTitle(title: string): void {
  const others = (recall("tabs") ?? "").split("\n").filter((other) => other !== title);
  remember("tabs", [title, ...others].slice(0, maxRemembered).join("\n"));
}

/** Shows one of a page's views (`[data-view]`) at a time; the buttons above the first view switch between them. */
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
  const storedTitle = recall("view") ?? "";
  show(titles.includes(storedTitle) ? storedTitle : (titles[0] ?? ""));
}
