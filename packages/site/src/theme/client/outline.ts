import { findClosest, findAll } from "./page.ts";

interface Entry {
  readonly id: string;
  readonly link: HTMLElement;
}

/** Marks the current section in the table of contents, and hides the entries of headings that are not shown. */
export function startOutline(): void {
  const entries = findAll(".toc-item").map((link): Entry => {
    return { id: decodeURIComponent((link.getAttribute("href") ?? "").slice(1)), link };
  });
  const isEmpty = entries.every(({ id }) => document.getElementById(id) === null);
  if (isEmpty) return;
  const list = document.getElementById("table-of-contents-content");
  // If the list covers the article, it is closed when an entry is chosen.
  list?.addEventListener("click", (event) => {
    if (findClosest(event, ".toc-item") && list.matches(":popover-open")) list.hidePopover();
  });
  const groups = groupEntries(findAll("[data-long] > li"));
  let current: HTMLElement | undefined;
  let isScheduled = false;

  function update(): void {
    isScheduled = false;
    const links = showEntries(entries);
    const reached = findReachedHeading([...links.keys()]);
    const link = reached && links.get(reached);
    if (link === current) return;
    current?.removeAttribute("data-active");
    current?.removeAttribute("aria-current");
    link?.setAttribute("data-active", "true");
    link?.setAttribute("aria-current", "location");
    for (const group of groups) {
      const isCurrentGroup = group.some((entry) => entry === link?.parentElement);
      for (const entry of group) entry.toggleAttribute("data-near", isCurrentGroup);
    }
    if (link) keepInView(link, list);
    current = link;
  }

  function scheduleUpdate(): void {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(update);
  }

  addEventListener("scroll", scheduleUpdate, { passive: true });
  addEventListener("hashchange", scheduleUpdate);
  addEventListener("resize", scheduleUpdate, { passive: true });
  document.addEventListener("toggle", scheduleUpdate, true);
  document.addEventListener("change", scheduleUpdate);
  const article = document.getElementById("content-area");
  // Tabs and views hide their parts, and components with state replace them.
  const attributeFilter = ["hidden", "open"];
  const changes = new MutationObserver(scheduleUpdate);
  if (article) changes.observe(article, { attributeFilter, childList: true, subtree: true });
  scheduleUpdate();
}

/** Shows only the entries of headings that are visible. Returns their links by heading. */
function showEntries(entries: readonly Entry[]): ReadonlyMap<Element, HTMLElement> {
  const links = new Map<Element, HTMLElement>();
  for (const { id, link } of entries) {
    const heading = document.getElementById(id);
    const isShown = heading !== null && isVisible(heading);
    if (isShown) links.set(heading, link);
    link.parentElement?.toggleAttribute("data-hidden", !isShown);
  }
  return links;
}

/** Reports whether an element is visible: neither hidden itself nor inside collapsed content. */
function isVisible(element: Element): boolean {
  if (element.checkVisibility()) return true;
  // An element without a box of its own is as visible as its content.
  const isBoxless = getComputedStyle(element).display === "contents";
  return isBoxless && (element.firstElementChild?.checkVisibility() ?? false);
}

/**
 * Groups the entries of a long table of contents: each entry that is always shown, with the deeper entries that follow
 * it.
 */
function groupEntries(entries: readonly HTMLElement[]): HTMLElement[][] {
  const groups: HTMLElement[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    if (group && entry.dataset["depth"] === "4") group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/**
 * Finds the heading of the current section, which is the last heading above the line to which the browser scrolls the
 * target of an address. At the end of the page, where a short section cannot reach that line, it is the heading that
 * the address targets or, if there is none, the last heading in the window. At the top of the page, it is the first
 * heading.
 */
function findReachedHeading(shown: readonly Element[]): Element | undefined {
  const [first] = shown;
  if (scrollY <= 0) return first;
  const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  const line = isAtEnd ? innerHeight : measureTargetLine();
  const above = shown.filter((heading) => heading.getBoundingClientRect().top <= line);
  const target = isAtEnd
    ? document.getElementById(decodeURIComponent(location.hash.slice(1)))
    : null;
  const isTarget = target && above.includes(target) && target.getBoundingClientRect().top >= 0;
  return isTarget ? target : (above.at(-1) ?? first);
}

/** Returns the position of a heading after a jump to it, plus a few pixels because browsers round positions. */
function measureTargetLine(): number {
  const padding = Number.parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
  return (Number.isNaN(padding) ? 0 : padding) + 8;
}

/** Scrolls `box`, but never the page, until `element` is visible in it. */
export function keepInView(element: HTMLElement, box: HTMLElement | null): void {
  if (!box || box.scrollHeight <= box.clientHeight) return;
  const { top, bottom } = element.getBoundingClientRect();
  const frame = box.getBoundingClientRect();
  if (top >= frame.top + 40 && bottom <= frame.bottom - 40) return;
  box.scrollTop += (top + bottom) / 2 - (frame.top + frame.bottom) / 2;
}
