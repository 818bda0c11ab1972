/** Shorter keys are one letter away from words that authors use intentionally: `tag` and `tags`. */
const minKeyLength = 5;

/** The key of `known` that `written` probably means: one letter is wrong, missing, added or swapped. */
export function suggestKey(written: string, known: Iterable<string>): string | undefined {
  for (const key of known) {
    if (key.length >= minKeyLength && isOneTypo(written, key)) return key;
  }
  return undefined;
}

function isOneTypo(written: string, key: string): boolean {
  let at = 0;
  while (at < key.length && written[at] === key[at]) at += 1;
  if (written.length < key.length) return written.slice(at) === key.slice(at + 1);
  // A plural is a word of its own.
  if (written.length > key.length) {
    return written !== `${key}s` && written.slice(at + 1) === key.slice(at);
  }
  const isSwapped = written[at] === key[at + 1] && written[at + 1] === key[at];
  const next = at + (isSwapped ? 2 : 1);
  return at < key.length && written.slice(next) === key.slice(next);
}
