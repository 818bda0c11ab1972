/** What means something in a pattern means itself behind a backslash, with the flag `u` and in the tool `search` too. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
