import { root } from "./page.ts";

/** The site's prefix for keys, because bundles that are opened as files share one storage. */
const prefix = `octavo:${root.dataset["site"]}:`;

/**
 * Reads a preference of the reader, which is stored only in this browser. Returns undefined if it is not set or storage
 * is disabled.
 */
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
    // In a private window, or if the storage is full, the preference applies only to this page.
  }
}
