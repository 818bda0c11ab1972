import { closest, findAll } from "./page.ts";

/** Opens whatever hides the element that the address leads to, and goes there. */
function showTarget(): void {
  const id = targetId();
  const own = id === "" ? null : document.getElementById(id);
  const target = own ?? similarTarget(id);
  if (!target) return;
  // The browser goes to an id by itself, and only to the very same one.
  let isChanged = own === null;
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

/** The address of an open accordion leads to it, so that readers can pass it on. */
function keepOpenedInAddress(event: Event): void {
  const fold = closest(event, ".accordion > summary")?.parentElement;
  if (!(fold instanceof HTMLDetailsElement) || fold.id === "") return;
  // It opens or closes after the click.
  if (!fold.open) history.replaceState(null, "", `#${encodeURIComponent(fold.id)}`);
  else if (targetId() === fold.id)
    history.replaceState(null, "", location.pathname + location.search);
}

export function startTargets(): void {
  showTarget();
  addEventListener("hashchange", showTarget);
  document.addEventListener("click", keepOpenedInAddress);
}
