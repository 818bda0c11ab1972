/**
 * The minimum number of UTF-8 bytes of JSON per token. Code takes more tokens than prose, and CJK takes about one per
 * character.
 */
export const bytesPerToken = 3;
/** The tokens that providers count for a picture, whatever its size in bytes. */
const pictureTokens = 1_700;

/** The size of a value as JSON. */
interface JsonSize {
  readonly bytes: number;
  readonly pictures: number;
}

const knownSizes = new WeakMap<object, JsonSize>();

/**
 * Measures a value once. It must never change. Every request repeats all earlier results of tools, so estimates of
 * them would otherwise take most of a long turn.
 */
export function rememberSize(value: object): void {
  if (!knownSizes.has(value)) knownSizes.set(value, measureJson(value));
}

/** Estimates the tokens that a value takes in a request. The estimate tends to be too high rather than too low. */
export function estimateTokens(value: unknown): number {
  const { bytes, pictures } = measureJson(value);
  return Math.ceil(bytes / bytesPerToken) + pictures * pictureTokens;
}

function measureJson(value: unknown): JsonSize {
  let [knownBytes, pictures] = [0, 0];
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null) return part;
    if (isPicture(part)) {
      pictures += 1;
      return undefined;
    }
    const known = knownSizes.get(part);
    if (!known) return part;
    knownBytes += known.bytes - "0".length;
    pictures += known.pictures;
    return 0;
  });
  return { bytes: knownBytes + Buffer.byteLength(text ?? ""), pictures };
}

/** Returns the number of UTF-8 bytes of a text in JSON, without its quotation marks. */
export function countJsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Reports whether a part of a message contains a picture's bytes. */
function isPicture(part: object): boolean {
  return "type" in part && part.type === "file";
}
