import { root } from "./page.ts";

/** A prefix for each site: bundles that are opened as files share one storage. */
const prefix = `octavo:${root.dataset["site"]}:`;

/** Reads a preference of the reader, stored only in this browser; undefined if storage is disabled. */
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
    // In private windows and with full storage, the preference applies only to this page.
  }
}
