import { recall, remember } from "./memory.ts";
import { findAll, make } from "./page.ts";

interface TabSet {
  readonly isSynced: boolean;
  readonly titles: readonly string[];
  select(index: number, options?: { readonly isFocused?: boolean }): void;
}

/** Makes tabs of the sections in each `[data-tabs]`, which without scripts stand one below the other. */
export function startTabs(): void {
  const sets: TabSet[] = [];
  const selectEverywhere = (title: string) => {
    for (const set of sets) {
      const index = set.titles.indexOf(title);
      if (set.isSynced && index >= 0) set.select(index);
    }
  };
  for (const [at, box] of findAll("[data-tabs]").entries()) {
    const panels = [...box.children].filter(
      (child): child is HTMLElement =>
        child instanceof HTMLElement && child.classList.contains("tab-panel"),
    );
    if (panels.length > 0) sets.push(makeTabs(box, { panels, at, selectEverywhere }));
  }
  const known = (recall("tabs") ?? "").split("\n");
  // The latest choice stands first and is applied last: it wins where two fit.
  for (const title of known.toReversed()) if (title !== "") selectEverywhere(title);
}

interface TabParts {
  readonly panels: readonly HTMLElement[];
  /** Which box of the page it is, for ids. */
  readonly at: number;
  selectEverywhere(title: string): void;
}

function makeTabs(box: HTMLElement, parts: TabParts): TabSet {
  const { panels, at } = parts;
  const titles = panels.map((panel) => panel.dataset["title"] ?? "");
  const isSynced = box.dataset["sync"] !== "false";
  const tabs = panels.map((panel, index) => makeTab(panel, `tab-${at}-${index}`));
  const list = make("div", { class: "tab-list", role: "tablist" }, ...tabs);

  function select(index: number, { isFocused = false } = {}): void {
    for (const [other, panel] of panels.entries()) {
      const isSelected = other === index;
      panel.hidden = !isSelected;
      tabs[other]?.setAttribute("aria-selected", String(isSelected));
      tabs[other]?.setAttribute("tabindex", isSelected ? "0" : "-1");
    }
    if (isFocused) tabs[index]?.focus();
    box.dataset["selected"] = titles[index] ?? "";
  }

  function choose(index: number): void {
    const tab = tabs[index];
    if (!tab) return;
    const before = tab.getBoundingClientRect().top;
    select(index, { isFocused: true });
    const title = titles[index] ?? "";
    if (isSynced) {
      parts.selectEverywhere(title);
      keepTitle(title);
    }
    // Panels above that changed their height must not move the tab away under the pointer.
    scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: "instant" });
  }

  list.addEventListener("click", (event) => {
    const index = tabs.findIndex((tab) => tab.contains(event.target as Node));
    if (index >= 0) choose(index);
  });
  list.addEventListener("keydown", (event) => {
    const index = tabs.findIndex((tab) => tab === document.activeElement);
    const next = neighbour(event.key, index, tabs.length);
    if (index < 0 || next === undefined) return;
    event.preventDefault();
    choose(next);
  });
  for (const panel of panels)
    panel.addEventListener("octavo:show", () => select(panels.indexOf(panel)));

  box.prepend(list);
  const first = Number(box.dataset["first"] ?? 0);
  select(first < panels.length ? first : 0);
  box.dataset["live"] = "";
  return { isSynced, titles, select };
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

function neighbour(key: string, index: number, count: number): number | undefined {
  const isReversed = document.documentElement.dir === "rtl";
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (key === (isReversed ? "ArrowLeft" : "ArrowRight")) return (index + 1) % count;
  if (key === (isReversed ? "ArrowRight" : "ArrowLeft")) return (index - 1 + count) % count;
  return undefined;
}

/** Choices that are remembered, the latest first: a language, a package manager and a few more. */
const keptTitles = 8;

function keepTitle(title: string): void {
  const others = (recall("tabs") ?? "").split("\n").filter((other) => other !== title);
  remember("tabs", [title, ...others].slice(0, keptTitles).join("\n"));
}
