import { startAddresses } from "./addresses.ts";
import { startBanner, startFrames } from "./consent.ts";
import { startCopying } from "./copy.ts";
import { startDiagrams } from "./diagram.ts";
import { startMenus } from "./menu.ts";
import { startOutline } from "./outline.ts";
import { startImageActions } from "./image-actions.ts";
import { startSearch } from "./search.ts";
import { startSidebar } from "./sidebar.ts";
import { startTabs, startViews } from "./tabs.ts";
import { startTargets } from "./target.ts";
import { startTrees } from "./tree.ts";
import { startVersions } from "./versions.ts";
import { startZoom } from "./zoom.ts";
import { findAll, findClosest, loadScript, make, root, startInComponents } from "./page.ts";
import { words } from "./words.ts";
import { recall, remember } from "./memory.ts";

startAddresses();
startBanner();
startScheme();
startMenus();
startTabs();
startTrees();
startTables();
startViews();
startFilters();
startTargets();
startSidebar();
startOutline();
startCopying();
startExpanding();
startSchemaParts();
startFrames();
startZoom();
startImageActions();
startDiagrams();
startSearch();
startVersions();

/**
 * Stores the tags by which readers filter a changelog in the address, as `?tags=a,b`, and selects the tags that the
 * address contains. The filtering itself is done by styles.
 */
function startFilters(): void {
  const boxes = findAll("#changelog-filters input") as HTMLInputElement[];
  if (boxes.length === 0) return;

  const requestedTags = new URLSearchParams(location.search).get("tags")?.split(",") ?? [];
  for (const box of boxes) box.checked = requestedTags.includes(box.value);

  document.getElementById("changelog-filters")?.addEventListener("change", () => {
    const selectedTags = boxes.filter(({ checked }) => checked).map(({ value }) => value);
    const url = new URL(location.href);
    if (selectedTags.length === 0) url.searchParams.delete("tags");
    else url.searchParams.set("tags", selectedTags.join(","));
    history.replaceState(history.state, "", url);
  });
}

/** Adds a button to each long block that its author marked as collapsible. The button shows the rest of the block. */
function startExpanding(): void {
  for (const block of findAll(".code[data-expandable]")) {
    const label = make("span", {}, words.more);
    const button = make("button", { class: "expand-code", type: "button" }, label);
    button.append(make("i", { class: "i i-down" }));
    const show = (isExpanded: boolean) => {
      button.setAttribute("aria-expanded", String(isExpanded));
      label.textContent = isExpanded ? words.close : words.more;
      block.toggleAttribute("data-expanded", isExpanded);
    };
    button.addEventListener("click", () => {
      show(!block.hasAttribute("data-expanded"));
      // When the block collapses, the content below the button would move out of view.
      if (!block.hasAttribute("data-expanded")) block.scrollIntoView({ block: "nearest" });
    });
    show(false);
    block.append(button);
  }
}

declare global {
  interface Window {
    /** A page's schema script calls this function with the HTML of the parts that readers open. */
    octavoSchemas?: (parts: readonly string[]) => void;
  }
}

/**
 * Loads the parts of schemas that the page omits to stay small, when a reader opens one of these parts. If the script
 * cannot be loaded, the link to the Markdown file stays.
 */
function startSchemaParts(): void {
  let loading: Promise<readonly string[]> | undefined;
  // The event does not bubble.
  document.addEventListener("toggle", (event) => void show(event.target), true);
  async function show(fold: EventTarget | null): Promise<void> {
    if (!(fold instanceof HTMLDetailsElement) || !fold.open) return;
    const { part, script } = fold.dataset;
    const content = fold.querySelector(".fold-content");
    if (part === undefined || script === undefined || !content) return;
    try {
      content.innerHTML = (await (loading ??= loadSchemaParts(script)))[Number(part)] ?? "";
      delete fold.dataset["part"];
      startTabs(content);
      startTables(content);
    } catch {
      loading = undefined;
    }
  }
}

function loadSchemaParts(script: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    window.octavoSchemas = resolve;
    loadScript(script).catch(reject);
  });
}

/**
 * Switches between light and dark. The inline script sets the scheme before the page is painted. This script applies
 * changes of the system's scheme, changes in the reader's other windows, and changes that were made before the reader
 * went back to this page.
 */
function startScheme(): void {
  if ("fixed" in root.dataset) return;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const applyScheme = () => {
    const scheme = recall("scheme") ?? root.dataset["appearance"];
    root.classList.toggle("dark", scheme === "dark" || (scheme === "system" && system.matches));
  };
  system.addEventListener("change", applyScheme);
  addEventListener("storage", applyScheme);
  addEventListener("pageshow", applyScheme);
  document.addEventListener("click", (event) => {
    if (!findClosest(event, ".scheme-toggle")) return;
    const isDark = root.classList.toggle("dark");
    remember("scheme", isDark ? "dark" : "light");
  });
}

/** Makes tables that are wider than their box focusable, so that readers can scroll them with the keyboard. */
function startTables(within?: ParentNode): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });
  startInComponents(() => {
    for (const box of findAll(".table", within)) observer.observe(box);
  });
}
