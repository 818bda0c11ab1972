import { findAll, findClosest, filesPath, loadScript, make, root, rootPath } from "./page.ts";
import { words } from "./words.ts";
import { recall, remember } from "./memory.ts";

interface SearchEngine {
  open(index: { readonly files: string; readonly name: string }): Promise<unknown>;
  query(text: string): Promise<readonly SearchResult[]>;
}

declare global {
  interface Window {
    /** The search engine, which `_octavo/search/search.js` sets. */
    octavoSearch?: SearchEngine;
  }
}

export function startSearch(): void {
  let open: (() => void) | undefined;
  const show = () => {
    open ??= makeSearch();
    open();
  };
  document.addEventListener("click", (event) => {
    if (findClosest(event, ".search-button")) show();
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
  return findClosest(event, "input, textarea, select, [contenteditable]") !== undefined;
}

/** Loads the engine and its initial files when the dialog is first opened. */
async function loadEngine(): Promise<SearchEngine> {
  const name = root.dataset["search"] ?? "";
  if (!window.octavoSearch) {
    const indexes = name.split(" ").filter((part) => part !== "");
    const paths = indexes.map((part) => `${encodeURIComponent(part)}/index`);
    await Promise.all(["search", ...paths].map((path) => loadScript(`_octavo/search/${path}.js`)));
  }
  const engine = window.octavoSearch;
  if (!engine) throw new Error("The search script did not set octavoSearch.");
  await engine.open({ files: filesPath, name });
  return engine;
}

/** The elements of the dialog that change. */
interface SearchBox {
  readonly dialog: HTMLDialogElement;
  readonly input: HTMLInputElement;
  readonly list: HTMLElement;
  readonly status: HTMLElement;
}

function buildBox(): SearchBox {
  const input = make("input", {
    id: "search-input",
    // With the type "search", the first Escape would clear the field, and only the second would close the dialog.
    type: "text",
    enterkeyhint: "search",
    placeholder: words.search,
    "aria-label": words.search,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "search-results",
    "aria-autocomplete": "list",
  });
  const list = make("div", { id: "search-results", role: "listbox", "aria-label": words.search });
  const status = make("p", { class: "search-status", role: "status" });
  const marks = [make("kbd", {}, "esc"), make("i", { class: "i i-close" })];
  const close = make("button", { type: "button", class: "search-close" }, ...marks);
  // The accessible name must contain the visible text, for users of voice control.
  close.setAttribute("aria-label", `${words.close}, esc`);
  const icon = make("i", { class: "i i-search" });
  const bar = make("div", { class: "search-bar" }, icon, input, close);
  const foot = make("div", { class: "search-foot" }, status);
  const dialog = make("dialog", { id: "search", "aria-label": words.search }, bar, list, foot);
  const scope = root.dataset["searchScope"];
  if (scope !== undefined) {
    foot.append(make("p", { id: "search-scope" }, make("i", { class: "i i-search" }), scope));
    dialog.setAttribute("aria-describedby", "search-scope");
  }
  close.addEventListener("click", () => dialog.close());
  return { dialog, input, list, status };
}

/** Builds the dialog and returns a function that opens it. */
function makeSearch(): () => void {
  const box = buildBox();
  const { dialog, input, list, status } = box;
  document.body.append(dialog);

  let engine: Promise<SearchEngine> | undefined;
  let pendingSearch: Promise<void> | undefined;
  let shownText: string | undefined;

  /** Resolves when the results for the text in the field are shown. */
  function update(): Promise<void> {
    return (pendingSearch ??= runSearch().finally(() => (pendingSearch = undefined)));
  }
  /** Searches for the text in the field, and again if the text has changed in the meantime. */
  async function runSearch(): Promise<void> {
    try {
      for (let text = input.value.trim(); text !== shownText; text = input.value.trim()) {
        const results = text === "" ? [] : await (await (engine ??= loadEngine())).query(text);
        shownText = text;
        showResults(box, text, results);
      }
    } catch (error) {
      engine = undefined;
      status.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  input.addEventListener("input", () => void update());
  input.addEventListener("keydown", (event) => {
    // Keys that choose a word in an input method must not affect the list.
    if (event.isComposing || !["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return;
    event.preventDefault();
    // Readers who type faster than results appear expect the key to apply to the results of their text.
    void update().then(() => followKey(box, event));
  });
  dialog.addEventListener("click", (event) => {
    const result = findClosest(event, "[role=option]");
    if (result) rememberOpened(result);
    if (event.target === dialog || result) dialog.close();
  });
  // The keyboard of a phone covers the results. Readers who scroll the results have finished typing, so the keyboard is
  // hidden.
  list.addEventListener("touchmove", () => input.blur(), { passive: true });
  list.addEventListener("pointermove", (event) => {
    const result = findClosest(event, "[role=option]");
    if (result?.getAttribute("aria-selected") === "false") choose(box, result);
  });

  return () => {
    if (dialog.open) return;
    // Pages that were opened since the dialog was last shown are now among the recent pages.
    if (input.value.trim() === "") shownText = undefined;
    dialog.showModal();
    input.select();
    engine ??= loadEngine();
    engine.catch(() => (engine = undefined));
    void update();
  };
}

function showResults(box: SearchBox, text: string, results: readonly SearchResult[]): void {
  const { input, list, status } = box;
  list.replaceChildren(...(text === "" ? makeStart() : makeResults(results)));
  list.scrollTop = 0;
  input.setAttribute("aria-expanded", String(listOptions(box).length > 0));
  const isEmpty = text !== "" && results.length === 0;
  status.toggleAttribute("data-empty", isEmpty);
  if (isEmpty) status.textContent = `${words.noResults}: ${text}\n${words.searchHint}`;
  else status.textContent = text === "" ? "" : `${words.results}: ${listOptions(box).length}`;
  choose(
    box,
    listOptions(box).find(({ id }) => id === bestId),
  );
}

function listOptions({ list }: SearchBox): HTMLElement[] {
  return findAll("[role=option]", list);
}

/** Marks the result that Enter opens. The focus stays in the field. */
function choose(box: SearchBox, chosen: HTMLElement | undefined): void {
  for (const result of listOptions(box)) {
    result.setAttribute("aria-selected", String(result === chosen));
  }
  chosen?.scrollIntoView({ block: "nearest", behavior: "instant" });
  if (chosen) box.input.setAttribute("aria-activedescendant", chosen.id);
  else box.input.removeAttribute("aria-activedescendant");
}

function followKey(box: SearchBox, event: KeyboardEvent): void {
  if (event.key === "Enter") openResult(box, event);
  else moveChoice(box, event.key === "ArrowDown" ? 1 : -1);
}

/** Chooses the next or the previous result, and wraps around at both ends. */
function moveChoice(box: SearchBox, step: 1 | -1): void {
  const results = listOptions(box);
  const index = results.findIndex((result) => result.getAttribute("aria-selected") === "true");
  const next = step === 1 ? (index + 1) % results.length : Math.max(index, 0) - 1;
  choose(box, results.at(next));
}

/** Opens a result as a click with the same modifier keys would. */
function openResult({ list }: SearchBox, event: KeyboardEvent): void {
  const { ctrlKey, metaKey, shiftKey } = event;
  const [chosen] = findAll("[aria-selected=true]", list);
  chosen?.dispatchEvent(
    new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
  );
}

/**
 * The storage key of the pages that readers opened from the search. They are pairs of address and title, latest first.
 */
const recentKey = "search-recent";
const maxRecent = 5;
const maxSuggested = 6;

/**
 * Creates the list that is shown before a word is typed. It contains pages that were opened from the search, and pages
 * that the navigation shows.
 */
function makeStart(): HTMLElement[] {
  const recent = readRecentPages();
  const current = findBundleAddress(location.href) ?? "";
  const knownPages = new Set([...recent.map(([href]) => href), current].map(getSharedAddress));
  const suggested = listShownPages().filter(([href]) => !knownPages.has(getSharedAddress(href)));
  return [
    ...makeGroup(words.recent, recent, "recent"),
    ...makeGroup(words.suggested, suggested.slice(0, maxSuggested), "suggested"),
  ];
}

/** Stores the page that a reader opens. */
function rememberOpened(option: HTMLElement): void {
  // The property is used because the attribute may now contain a different form of the address.
  const href = option instanceof HTMLAnchorElement ? findBundleAddress(option.href) : undefined;
  if (href === undefined) return;
  const page = option.closest("[role=group]")?.getAttribute("aria-label");
  const title = option.dataset["page"] ?? page ?? option.textContent;
  const others = readRecentPages().filter(
    ([other]) => getSharedAddress(other) !== getSharedAddress(href),
  );
  const pages = [[href, title], ...others].slice(0, maxRecent);
  remember(`${recentKey}:${root.dataset["search"]}`, JSON.stringify(pages));
}

type PageEntry = readonly [href: string, title: string];

function readRecentPages(): readonly PageEntry[] {
  try {
    const stored: unknown = JSON.parse(recall(`${recentKey}:${root.dataset["search"]}`) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isPageEntry) : [];
  } catch {
    return [];
  }
}

function isPageEntry(value: unknown): value is PageEntry {
  return (
    Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string")
  );
}

/** Finds the navigation's links to pages of this bundle, after the links to the previous and the next page. */
function listShownPages(): readonly PageEntry[] {
  const links = findAll(
    "#pagination a, #navigation-items a:not([aria-current], .external, .sidebar-more)",
  );
  const pages = new Map<string, string>();
  for (const link of links) {
    if (!(link instanceof HTMLAnchorElement)) continue;
    const href = findBundleAddress(link.href);
    // Icons and tags next to the title have classes.
    const title = (link.querySelector("span:not([class])") ?? link).textContent.trim();
    if (href !== undefined && !pages.has(href)) pages.set(href, title);
  }
  return [...pages];
}

/**
 * Returns the part that all addresses of a page share. Hosts show a page at its file, at the file's name without
 * extension, or at its folder.
 */
function getSharedAddress(href: string): string {
  return href.replace(/(?:(?:^|\/)index)?(?:\.html|\/)?$/, "");
}

/**
 * Returns an address relative to the bundle's root, without an anchor, or undefined for an address outside the bundle.
 */
function findBundleAddress(address: string): string | undefined {
  const base = new URL(rootPath === "" ? "./" : rootPath, location.href).href;
  const [page = ""] = address.split("#", 1);
  return page.startsWith(base) ? page.slice(base.length) : undefined;
}

function makeGroup(label: string, pages: readonly PageEntry[], name: string): HTMLElement[] {
  if (pages.length === 0) return [];
  const results = pages.map(([href, title]): SearchResult => ({
    href,
    title: [title],
    heading: [],
    excerpt: [],
    breadcrumb: "",
  }));
  const options = makeResults(results).flatMap((page) => findAll("[role=option]", page));
  for (const [at, option] of options.entries()) {
    option.id = `search-${name}-${at}`;
    option.dataset["page"] = pages[at]?.[1];
  }
  const id = `search-${name}`;
  const title = make("div", { class: "search-group-title", id, role: "presentation" }, label);
  return [
    make("div", { class: "search-start", role: "group", "aria-labelledby": id }, title, ...options),
  ];
}

/** A text split into segments that are alternately plain and matched. The first segment is plain. */
type MarkedPieces = readonly string[];

interface SearchResult {
  /** The address, relative to the bundle's root. */
  readonly href: string;
  readonly title: MarkedPieces;
  /** The heading of the section; empty if the title matched. */
  readonly heading: MarkedPieces;
  readonly excerpt: MarkedPieces;
  readonly breadcrumb: string;
}

/** The id of the best result's element, which may not be the first element. */
const bestId = "search-result-0";

/** Groups results under the titles of their pages. Pages are in the order of their best results. */
function makeResults(results: readonly SearchResult[]): HTMLElement[] {
  const options = new Map(
    results.map((result, index) => [result, makeOption(result, `search-result-${index}`)]),
  );
  return Array.from(groupByPage(results), ([href, found], index) => {
    const [best] = found;
    const pageResult = found.find(({ heading }) => heading.length === 0);
    const title = { ...best, href, heading: [], excerpt: [] };
    const page =
      (pageResult && options.get(pageResult)) ?? makeOption(title, `search-page-${index}`);
    const sections = found.filter((result) => result !== pageResult);
    const sectionOptions = sections.flatMap((result) => options.get(result) ?? []);
    const attributes = { class: "search-page", role: "group", "aria-label": best.title.join("") };
    return make("div", attributes, page, ...sectionOptions);
  });
}

type FoundResults = [SearchResult, ...SearchResult[]];

function groupByPage(results: readonly SearchResult[]): ReadonlyMap<string, FoundResults> {
  const pages = new Map<string, FoundResults>();
  for (const result of results) {
    const [page = ""] = result.href.split("#", 1);
    const found = pages.get(page);
    if (found) found.push(result);
    else pages.set(page, [result]);
  }
  return pages;
}

/** Creates the option for a page or for a section below its page. */
function makeOption(result: SearchResult, id: string): HTMLElement {
  const { href, title, heading, excerpt, breadcrumb } = result;
  const isPage = heading.length === 0;
  const crumbs = !isPage || breadcrumb === "" ? [] : [make("small", {}, breadcrumb)];
  const name = makeText(isPage ? title : heading, "search-title");
  const text = excerpt.length === 0 ? [] : [makeText(excerpt, "search-excerpt")];
  const attributes = {
    id,
    role: "option",
    tabindex: "-1",
    "aria-selected": "false",
    href: rootPath + href,
  };
  return make("a", attributes, ...crumbs, name, ...text);
}

function makeText(text: MarkedPieces, name: string): HTMLElement {
  const pieces = text.map((piece, index) => (index % 2 === 0 ? piece : make("mark", {}, piece)));
  return make("span", { class: name }, ...pieces);
}
