import { closest, findAll } from "./page.ts";

/** Opens whatever hides the element that the address leads to, and goes there. */
function showTarget(): void {
  const id = targetId();
  const own = id === "" ? null : document.getElementById(id);
  const target = besideLayout(id) ?? own ?? similarTarget(id);
  if (!target) return;
  // The browser goes to an id by itself, and only to the very same one.
  let isChanged = own !== target;
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

/** The heading that would have the id if the layout had not: `#footer` from elsewhere means the heading. */
function besideLayout(id: string): Element | null {
  const own = id === "" ? null : document.getElementById(id);
  if (!own || own.parentElement?.closest("#content")) return null;
  return document.getElementById(`${id}-section`);
}

/** Addresses from elsewhere may spell an id by other rules: the same letters and digits mean the same place. */
function similarTarget(id: string): Element | undefined {
  const wanted = letters(id);
  if (wanted === "") return undefined;
  return findAll("#content-area [id]").find((element) => letters(element.id) === wanted);
}

function letters(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
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
