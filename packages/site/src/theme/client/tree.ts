import { findAll, root } from "./page.ts";

const itemSelector = ".tree-file, .tree-folder";

/** The pause, in milliseconds, after which a key begins a new name. */
const typingPauseMs = 600;

/** Converts each list of files and folders to a tree with keyboard navigation. */
export function startTrees(): void {
  for (const tree of findAll("ul.tree")) makeTree(tree);
}

function makeTree(tree: HTMLElement): void {
  const items = findAll(itemSelector, tree);
  tree.setAttribute("role", "tree");
  for (const list of findAll("ul", tree)) list.setAttribute("role", "group");
  for (const box of findAll("li, details", tree)) box.setAttribute("role", "none");
  for (const item of items) markItem(item);
  if (items[0]) findRow(items[0])?.setAttribute("tabindex", "0");
  tree.addEventListener("focusin", (event) => {
    const current = findItem(event.target);
    if (!current) return;
    for (const item of items) {
      findRow(item)?.setAttribute("tabindex", item === current ? "0" : "-1");
    }
  });
  const typed = { text: "", at: 0 };
  tree.addEventListener("keydown", (event) => {
    const item = findItem(event.target);
    if (!item || event.target !== findRow(item)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = items.filter(
      (candidate) => !candidate.parentElement?.closest("details:not([open])"),
    );
    if (turnFold(event.key, item)) return event.preventDefault();
    const next = findItemBeside(event.key, item, shown) ?? findNamedItem(event, item, shown);
    if (!next) return;
    event.preventDefault();
    findRow(next)?.focus();
  });

  /** Returns the next item whose name begins with the typed text. */
  function findNamedItem(event: KeyboardEvent, item: HTMLElement, shown: readonly HTMLElement[]) {
    if (event.key.length !== 1 || event.key === " ") return undefined;
    const isNew = event.timeStamp - typed.at > typingPauseMs;
    typed.text = (isNew ? "" : typed.text) + event.key.toLowerCase();
    typed.at = event.timeStamp;
    const start = shown.indexOf(item) + (isNew ? 1 : 0);
    const inOrder = [...shown.slice(start), ...shown.slice(0, start)];
    return inOrder.find((candidate) =>
      findRow(candidate)?.textContent.trim().toLowerCase().startsWith(typed.text),
    );
  }
}

function findItem(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(itemSelector) : null;
}

function findDetails(item: HTMLElement): HTMLDetailsElement | null {
  return item.querySelector<HTMLDetailsElement>(":scope > details");
}

/**
 * Returns the focusable row of an item. If the item itself had focus, screen readers would read its whole content as
 * its name.
 */
function findRow(item: HTMLElement): HTMLElement | null {
  return item.querySelector<HTMLElement>(":scope > details > summary, :scope > .tree-name");
}

function markItem(item: HTMLElement): void {
  const row = findRow(item);
  if (!row) return;
  let level = 1;
  for (let ancestor = findOuterItem(item); ancestor; ancestor = findOuterItem(ancestor)) level += 1;
  row.setAttribute("role", "treeitem");
  row.setAttribute("aria-level", String(level));
  row.setAttribute("tabindex", "-1");
  const fold = findDetails(item);
  if (!fold) return;
  const markState = () => row.setAttribute("aria-expanded", String(fold.open));
  fold.addEventListener("toggle", markState);
  markState();
}

function findOuterItem(item: HTMLElement): HTMLElement | null {
  return findItem(item.parentElement);
}

const isReversed = root.dir === "rtl";
const inward = isReversed ? "ArrowLeft" : "ArrowRight";
const outward = isReversed ? "ArrowRight" : "ArrowLeft";

/** Expands or collapses folders by key. Returns false for other keys. Enter and space work without a script. */
function turnFold(key: string, item: HTMLElement): boolean {
  if (key === "*") {
    for (const sibling of item.parentElement?.children ?? []) {
      const fold = findDetails(sibling as HTMLElement);
      if (fold) fold.open = true;
    }
    return true;
  }
  const fold = findDetails(item);
  if (!fold) return false;
  if (key !== (fold.open ? outward : inward)) return false;
  fold.open = !fold.open;
  return true;
}

function findItemBeside(
  key: string,
  item: HTMLElement,
  shown: readonly HTMLElement[],
): HTMLElement | null | undefined {
  const index = shown.indexOf(item);
  if (key === "ArrowDown") return shown[index + 1];
  if (key === "ArrowUp") return shown[index - 1];
  if (key === "Home") return shown[0];
  if (key === "End") return shown.at(-1);
  if (key === inward) return item.querySelector<HTMLElement>(itemSelector);
  if (key === outward) return findOuterItem(item);
  return undefined;
}
