import { root } from "./page.ts";

/** Bundles that are opened as files share one storage. */
const prefix = `octavo:${root.dataset["site"]}:`;

/** What the reader chose, kept in this browser alone; forgotten where storage is switched off. */
export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(prefix + key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(prefix + key, value);
  } catch {
    // Private windows and full storage: the choice holds for this page only.
  }
}
