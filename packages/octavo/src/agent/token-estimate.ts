/** UTF-8 bytes of JSON for one token, at least: code takes more tokens than prose, and CJK about one for each character. */
export const bytesPerToken = 3;
/** What providers take for a picture, whatever its bytes. */
const pictureTokens = 1_700;

/** How many tokens a value takes in a request, rather too many than too few. */
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
export function byteLengthInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** A part of a message that holds a picture's bytes. */
function isPicture(part: unknown): boolean {
  return typeof part === "object" && part !== null && "type" in part && part.type === "file";
}
