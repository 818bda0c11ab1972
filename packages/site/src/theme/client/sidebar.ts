import { stripIndexFile } from "./addresses.ts";
import { keepInView } from "./outline.ts";
import { findClosest, findAll, loadScript, rootPath } from "./page.ts";

declare global {
  interface Window {
    /**
     * `_octavo/nav/<id>.js` calls this function with the complete list of a division, in which NUL represents the path
     * to the root.
     */
    octavoNav?: (id: string, list: string) => void;
  }
}

export function startSidebar(): void {
  const navigation = document.getElementById("navigation-items");
  if (!navigation) return;
  scrollToCurrent(navigation);
  const { nav } = navigation.dataset;
  if (nav === undefined) return;
  let isLoading = false;
  navigation.addEventListener("click", (event) => {
    const link = findClosest(event, "[data-branch]");
    // Clicks that open another window, and a second click while the list is loading, must follow the link.
    if (!link || isLoading || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    isLoading = true;
    window.octavoNav = (id, list) => {
      if (id === nav) showWhole(navigation, list, link.dataset["branch"] ?? "");
    };
    loadScript(`_octavo/nav/${nav}.js`).catch(() => {
      location.assign((link as HTMLAnchorElement).href);
    });
  });
}

function scrollToCurrent(navigation: HTMLElement): void {
  const current = navigation.querySelector<HTMLElement>('[aria-current="page"]');
  if (current) keepInView(current, document.getElementById("sidebar-content"));
}

/** Replaces the page's part of the list with the whole list, and expands the branch that was clicked. */
function showWhole(navigation: HTMLElement, list: string, branch: string): void {
  const box = document.getElementById("sidebar-content");
  const openBranchIds = new Set(
    findAll("details[open]", navigation).map((details) => details.dataset["branchId"]),
  );
  const scrollTopBefore = box?.scrollTop ?? 0;
  navigation.innerHTML = list.replaceAll("\0", rootPath);
  markCurrent(navigation);
  for (const details of findAll("details", navigation)) {
    const { branchId } = details.dataset;
    const isAskedFor = branchId !== undefined && `${branch}.`.startsWith(`${branchId}.`);
    if (openBranchIds.has(branchId) || isAskedFor) details.setAttribute("open", "");
  }
  if (box) box.scrollTop = scrollTopBefore;
  const opened = findAll("details", navigation).find(
    ({ dataset }) => dataset["branchId"] === branch,
  );
  opened?.querySelector("summary")?.focus({ preventScroll: true });
  const target = opened ?? navigation.querySelector<HTMLElement>('[aria-current="page"]');
  if (target) keepInView(target, box);
}

function markCurrent(navigation: HTMLElement): void {
  const here = stripIndexFile(location.pathname);
  const link = findAll("a", navigation).find(
    (candidate) => stripIndexFile((candidate as HTMLAnchorElement).pathname) === here,
  );
  link?.setAttribute("aria-current", "page");
  link?.closest("li")?.setAttribute("data-active", "true");
}
