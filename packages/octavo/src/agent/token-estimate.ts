/** UTF-8 bytes of JSON for one token, at least: code takes more tokens than prose, and CJK about one for each character. */
export const bytesPerToken = 3;

/** How many tokens a value takes in a request, rather too many than too few. */
export function estimateTokens(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value) ?? "") / bytesPerToken);
}
