/** The punctuation of ASCII means itself with a backslash, here and in the tool `search`. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[!-/:-@[-`{-~]/g, "\\$&");
}
