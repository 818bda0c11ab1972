/** In characters. */
export const maxPromptLength = 20_000;

/** Counts code points, as people do, not UTF-16 units. */
export function fitsPromptLimit(text: string): boolean {
  if (text.length <= maxPromptLength) return true;
  return text.length <= 2 * maxPromptLength && Array.from(text).length <= maxPromptLength;
}

/** Whether a prompt asks for nothing: blanks and invisible characters alone. */
export function isBlankPrompt(text: string): boolean {
  return !/[^\s\p{Z}\p{C}]/u.test(text);
}
