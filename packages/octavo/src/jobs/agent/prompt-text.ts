/** The maximum length of a prompt, in characters. */
export const maxPromptLength = 20_000;

/** Reports whether a text is short enough for a prompt. Counts code points, as people do, instead of UTF-16 units. */
export function isWithinPromptLimit(text: string): boolean {
  if (text.length <= maxPromptLength) return true;
  return text.length <= 2 * maxPromptLength && Array.from(text).length <= maxPromptLength;
}

/** Reports whether a prompt contains nothing but whitespace and invisible characters. */
export function isBlankPrompt(text: string): boolean {
  return !/[^\s\p{Z}\p{C}]/u.test(text);
}
