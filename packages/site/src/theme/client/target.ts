import { findClosest, findAll } from "./page.ts";

/** Opens the elements that hide the target of the address, and scrolls to the target. */
function showTarget(): void {
  const id = readTargetId();
  const namedElement = id === "" ? null : document.getElementById(id);
  const target = findBesideLayout(id) ?? namedElement ?? findSimilarTarget(id);
  if (!target) return;
  // The browser itself scrolls only to an element with exactly this id.
  let isChanged = namedElement !== target;
  for (let ancestor: Element | null = target; ancestor; ancestor = ancestor.parentElement) {
    if (ancestor instanceof HTMLDetailsElement && !ancestor.open) {
      ancestor.open = true;
      isChanged = true;
    }
    // Tabs and views listen for the event. A filtered changelog entry is simply shown.
    if (ancestor instanceof HTMLElement && ancestor.hidden) {
      ancestor.dispatchEvent(new Event("octavo:show"));
      ancestor.hidden = false;
      isChanged = true;
    }
  }
  if (isChanged) target.scrollIntoView();
}

function readTargetId(): string {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Changes the address to the element that the reader just opened, without a history entry or a jump. */
export function nameInAddress(id: string): void {
  if (id !== "") history.replaceState(history.state, "", `#${encodeURIComponent(id)}`);
}

/**
 * Finds the heading that would have the id if the layout did not use it. For example, `#footer` in a link refers to the
 * heading `Footer`.
 */
function findBesideLayout(id: string): Element | null {
  const namedElement = id === "" ? null : document.getElementById(id);
  if (!namedElement || namedElement.parentElement?.closest("#content")) return null;
  return document.getElementById(`${id}-section`);
}

/** Finds an element whose id has the same letters and digits, because other tools may spell the id differently. */
function findSimilarTarget(id: string): Element | undefined {
  const foldedId = foldLetters(id);
  if (foldedId === "") return undefined;
  return findAll("#content-area [id]").find((element) => foldLetters(element.id) === foldedId);
}

function foldLetters(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

export function startTargets(): void {
  showTarget();
  addEventListener("hashchange", showTarget);
  document.addEventListener("click", (event) => {
    const fold = findClosest(event, "details.fold > summary")?.parentElement;
    const isOpening = fold instanceof HTMLDetailsElement && !fold.open;
    if (isOpening && !findClosest(event, "summary a")) nameInAddress(fold.id);
  });
}
