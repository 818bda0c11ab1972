import { closest, findAll, loadScript, make, root, rootPath } from "./page.ts";
import { words } from "./words.ts";

interface SearchResult {
  /** Relative to the bundle's root. */
  readonly href: string;
  readonly title: string;
  readonly heading: string;
  /** Escaped, with `<mark>` around what was found. */
  readonly excerptHtml: string;
  readonly breadcrumb: string;
}

declare global {
  interface Window {
    /** Set by `_octavo/search/search.js`. */
    octavoSearch?: {
      open(index: { readonly root: string; readonly name: string }): unknown;
      query(text: string): Promise<readonly SearchResult[]>;
    };
  }
}

/** Keys that are typed faster than this ask only once. */
const typingPauseMs = 60;

export function startSearch(): void {
  let open: (() => void) | undefined;
  const show = () => {
    open ??= makeSearch();
    open();
  };
  document.addEventListener("click", (event) => {
    if (closest(event, ".search-button")) show();
  });
  document.addEventListener("keydown", (event) => {
    const isCommand = event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey);
    const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isCommand && (!isSlash || isTyping(event))) return;
    event.preventDefault();
    show();
  });
}

function isTyping(event: Event): boolean {
  return closest(event, "input, textarea, select, [contenteditable]") !== undefined;
}

/** The engine, loaded when the dialog is opened for the first time. */
async function loadEngine(): Promise<NonNullable<Window["octavoSearch"]>> {
  if (!window.octavoSearch) await loadScript("_octavo/search/search.js");
  const engine = window.octavoSearch;
  if (!engine) throw new Error("The search script did not set octavoSearch.");
  await engine.open({ root: rootPath, name: root.dataset["search"] ?? "" });
  return engine;
}

/** Builds the dialog and gives back what opens it. */
function makeSearch(): () => void {
  const input = make("input", {
    id: "search-input",
    // Of type "search" the first Escape would empty it and only the second close the dialog.
    type: "text",
    enterkeyhint: "search",
    placeholder: words.search,
    "aria-label": words.search,
    autocomplete: "off",
    spellcheck: "false",
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "search-results",
    "aria-autocomplete": "list",
  });
  const list = make("div", { id: "search-results", role: "listbox", "aria-label": words.search });
  const status = make("p", { class: "search-status", role: "status" });
  const close = make("button", { type: "button", class: "search-close" }, "esc");
  // What is read on it is part of what it is called, for those who speak to their computer.
  close.setAttribute("aria-label", `${words.close}, esc`);
  const bar = make(
    "div",
    { class: "search-bar" },
    make("i", { class: "i i-search" }),
    input,
    close,
  );
  const dialog = make("dialog", { id: "search", "aria-label": words.search }, bar, list, status);
  document.body.append(dialog);

  let engine: ReturnType<typeof loadEngine> | undefined;
  let latest = 0;
  let timer = 0;

  function choose(index: number): void {
    const results = findAll("[role=option]", list);
    for (const [at, result] of results.entries()) {
      result.setAttribute("aria-selected", String(at === index));
    }
    const chosen = results[index];
    chosen?.scrollIntoView({ block: "nearest" });
    if (chosen) input.setAttribute("aria-activedescendant", chosen.id);
    else input.removeAttribute("aria-activedescendant");
  }

  async function update(): Promise<void> {
    const asked = ++latest;
    const text = input.value.trim();
    const results = text === "" ? [] : await (await (engine ??= loadEngine())).query(text);
    // A slower answer to what was typed before must not replace a newer one.
    if (asked !== latest) return;
    list.replaceChildren(...results.map(makeResult));
    input.setAttribute("aria-expanded", String(results.length > 0));
    status.textContent = text !== "" && results.length === 0 ? nothingFound(text) : "";
    choose(results.length > 0 ? 0 : -1);
  }

  function refresh(): void {
    update().catch((error: unknown) => {
      engine = undefined;
      status.textContent = error instanceof Error ? error.message : String(error);
    });
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, typingPauseMs);
  });
  input.addEventListener("keydown", (event) => moveByKey(event, list, choose));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || closest(event, "[role=option]")) dialog.close();
  });

  return () => {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
    engine ??= loadEngine();
    engine.catch(() => (engine = undefined));
    refresh();
  };
}

function nothingFound(text: string): string {
  return `${words.noResults}: ${text}\n${words.searchHint}`;
}

function moveByKey(event: KeyboardEvent, list: HTMLElement, choose: (index: number) => void): void {
  const results = findAll("[role=option]", list);
  if (results.length === 0 || event.isComposing) return;
  const index = results.findIndex((result) => result.getAttribute("aria-selected") === "true");
  if (event.key === "ArrowDown") choose((index + 1) % results.length);
  else if (event.key === "ArrowUp") choose((index - 1 + results.length) % results.length);
  else if (event.key === "Enter") results[index]?.click();
  else return;
  event.preventDefault();
}

function makeResult(result: SearchResult, index: number): HTMLElement {
  const excerpt = make("span", { class: "search-excerpt" });
  excerpt.innerHTML = result.excerptHtml;
  const title = make("span", { class: "search-title" }, result.title);
  if (result.heading !== "" && result.heading !== result.title) {
    title.append(make("i", { class: "i i-forward" }), result.heading);
  }
  const crumbs = result.breadcrumb === "" ? [] : [make("small", {}, result.breadcrumb)];
  const attributes = {
    id: `search-result-${index}`,
    role: "option",
    tabindex: "-1",
    "aria-selected": "false",
    href: rootPath + result.href,
  };
  return make("a", attributes, ...crumbs, title, excerpt);
}
