import { closest } from "./page.ts";

/** Opens whatever hides the element that the address leads to, and goes there. */
function showTarget(): void {
  const id = targetId();
  const target = id === "" ? null : document.getElementById(id);
  if (!target) return;
  let isChanged = false;
  for (let around: Element | null = target; around; around = around.parentElement) {
    if (around instanceof HTMLDetailsElement && !around.open) {
      around.open = true;
      isChanged = true;
    }
    // Tabs and views listen for it; a filtered entry of a changelog simply shows again.
    if (around instanceof HTMLElement && around.hidden) {
      around.dispatchEvent(new Event("octavo:show"));
      around.hidden = false;
      isChanged = true;
    }
  }
  if (isChanged) target.scrollIntoView();
}

function targetId(): string {
  const text = location.hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Makes the address lead to what the reader has just opened, without a step in the history or a jump. */
export function nameInAddress(id: string): void {
  if (id !== "") history.replaceState(history.state, "", `#${encodeURIComponent(id)}`);
}

export function startTargets(): void {
  showTarget();
  addEventListener("hashchange", showTarget);
  document.addEventListener("click", (event) => {
    const fold = closest(event, "details.fold > summary")?.parentElement;
    const isOpening = fold instanceof HTMLDetailsElement && !fold.open;
    if (isOpening && !closest(event, "summary a")) nameInAddress(fold.id);
  });
}
