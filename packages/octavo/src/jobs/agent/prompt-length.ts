/** Characters of one instruction. */
export const longestPrompt = 20_000;

/** Characters as people count them, not the two halves that some are kept in. */
export function isPromptShortEnough(text: string): boolean {
  if (text.length <= longestPrompt) return true;
  return text.length <= 2 * longestPrompt && Array.from(text).length <= longestPrompt;
}
