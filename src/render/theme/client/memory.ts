/** What the reader chose, kept in this browser alone; forgotten where storage is switched off. */
export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(`octavo:${key}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`octavo:${key}`, value);
  } catch {
    // Private windows and full storage: the choice holds for this page only.
  }
}
