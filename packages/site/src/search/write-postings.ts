import { capitalA } from "./postings.ts";
import { sectionStep } from "./postings-builder.ts";

const digits = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz");

/** The largest gap in base 36, and a letter. */
const maxPostingLength = 8;

/**
 * Creates a function that writes postings as `postings.ts` reads them. An export writes millions of them: as bytes
 * into one buffer that is reused, not as strings that are joined.
 */
export function createPostingWriter(): (postings: Uint32Array) => string {
  let bytes = Buffer.alloc(4096);
  return (postings) => {
    const maxBytes = postings.length * maxPostingLength;
    if (bytes.length < maxBytes) bytes = Buffer.alloc(maxBytes * 2);
    let length = 0;
    let lastSection = 0;
    for (let at = 0; at < postings.length; at += 1) {
      const posting = postings[at] ?? 0;
      const weight = posting % sectionStep;
      const section = (posting - weight) / sectionStep;
      const gap = section - lastSection;
      if (gap < 36) bytes[length++] = digits[gap] ?? 0;
      else length = writeBase36(bytes, length, gap);
      bytes[length++] = capitalA - 1 + weight;
      lastSection = section;
    }
    return bytes.toString("latin1", 0, length);
  };
}

/** Returns the offset after the number. */
function writeBase36(bytes: Uint8Array, start: number, value: number): number {
  let end = start + 1;
  for (let rest = value; rest >= 36; rest = Math.floor(rest / 36)) end += 1;
  let rest = value;
  for (let at = end - 1; at >= start; at -= 1) {
    bytes[at] = digits[rest % 36] ?? 0;
    rest = Math.floor(rest / 36);
  }
  return end;
}
