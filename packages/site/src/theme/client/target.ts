import { findClosest, findAll } from "./page.ts";

/** Opens the elements that hide the target of the address, and scrolls to the target. */
function showTarget(): void {
  const id = readTargetId();
  const own = id === "" ? null : document.getElementById(id);
  const target = findBesideLayout(id) ?? own ?? findSimilarTarget(id);
  if (!target) return;
  // The browser itself scrolls only to an element with exactly this id.
  let isChanged = own !== target;
  for (let around: Element | null = target; around; around = around.parentElement) {
    if (around instanceof HTMLDetailsElement && !around.open) {
      around.open = true;
      isChanged = true;
    }
    // Tabs and views listen for the event. A filtered changelog entry is simply shown.
    if (around instanceof HTMLElement && around.hidden) {
      around.dispatchEvent(new Event("octavo:show"));
      around.hidden = false;
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
 * heading.
 */
function findBesideLayout(id: string): Element | null {
  const own = id === "" ? null : document.getElementById(id);
  if (!own || own.parentElement?.closest("#content")) return null;
  return document.getElementById(`${id}-section`);
}

/** Finds an element whose id has the same letters and digits, because other tools may spell the id differently. */
function findSimilarTarget(id: string): Element | undefined {
  const wanted = foldLetters(id);
  if (wanted === "") return undefined;
  return findAll("#content-area [id]").find((element) => foldLetters(element.id) === wanted);
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
