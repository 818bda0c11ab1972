/** In characters. */
export const maxPromptLength = 20_000;

/** Counts code points, as people do, not UTF-16 units. */
export function fitsPromptLimit(text: string): boolean {
  if (text.length <= maxPromptLength) return true;
  return text.length <= 2 * maxPromptLength && Array.from(text).length <= maxPromptLength;
}
