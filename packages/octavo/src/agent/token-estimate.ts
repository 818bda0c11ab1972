/**
 * The minimum number of UTF-8 bytes of JSON per token. Code takes more tokens than prose, and CJK takes about one per
 * character.
 */
export const bytesPerToken = 3;
/** The tokens that providers count for a picture, whatever its size in bytes. */
const pictureTokens = 1_700;

/** Estimates the tokens that a value takes in a request. The estimate tends to be too high rather than too low. */
export function estimateTokens(value: unknown): number {
  let pictures = 0;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (!isPicture(part)) return part;
    pictures += 1;
    return undefined;
  });
  return Math.ceil(Buffer.byteLength(text ?? "") / bytesPerToken) + pictures * pictureTokens;
}

/** Returns the number of UTF-8 bytes of a text in JSON, without its quotation marks. */
export function countJsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Reports whether a part of a message contains a picture's bytes. */
function isPicture(part: unknown): boolean {
  return typeof part === "object" && part !== null && "type" in part && part.type === "file";
}
