/** Minimum UTF-8 bytes of JSON per token: code takes more tokens than prose, and CJK about one per character. */
export const bytesPerToken = 3;
/** Tokens that providers count for a picture, regardless of its bytes. */
const pictureTokens = 1_700;

/** Estimates the tokens that a value takes in a request, rounded up rather than down. */
export function estimateTokens(value: unknown): number {
  let pictures = 0;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (!isPicture(part)) return part;
    pictures += 1;
    return undefined;
  });
  return Math.ceil(Buffer.byteLength(text ?? "") / bytesPerToken) + pictures * pictureTokens;
}

/** UTF-8 bytes of a text in JSON, without its quotes. */
export function countJsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Reports whether a part of a message contains a picture's bytes. */
function isPicture(part: unknown): boolean {
  return typeof part === "object" && part !== null && "type" in part && part.type === "file";
}
