import { root } from "./page.ts";

/** Bundles that are opened as files share a storage. */
const prefix = `octavo:${root.dataset["site"]}:`;

/** A preference of the reader, stored in this browser only; undefined if storage is disabled. */
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
    // Private windows and full storage: the preference holds for this page only.
  }
}
