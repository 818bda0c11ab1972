/** Letters and digits of a text, without case: what a misspelled path or anchor still has in common with the right one. */
export function lettersAndDigits(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/**
 * For a path that is not there, the one of `paths` that was likely meant: the same but for case, signs
 * and folders before it, else the only one of that name. Undefined where several could be.
 */
export function createSuggestions(
  paths: readonly string[],
): (missing: string) => string | undefined {
  let index: Index | undefined;
  return (missing) => {
    // A site without wrong links needs none.
    index ??= buildIndex(paths);
    const name = nameOf(missing);
    return findEnd(missing, index.byLetters) ?? (name === "" ? undefined : index.byName.get(name));
  };
}

interface Index {
  readonly byLetters: ReadonlyMap<string, string>;
  /** Undefined where several have the name. */
  readonly byName: ReadonlyMap<string, string | undefined>;
}

function buildIndex(paths: readonly string[]): Index {
  const byLetters = new Map<string, string>();
  const byName = new Map<string, string | undefined>();
  for (const path of paths) {
    byLetters.set(lettersAndDigits(path), path);
    const name = nameOf(path);
    byName.set(name, byName.has(name) ? undefined : path);
  }
  return { byLetters, byName };
}

/** `docs/en/start` finds `en/start`: sites move, and their folders with them. A bare name is not enough. */
function findEnd(missing: string, byLetters: ReadonlyMap<string, string>): string | undefined {
  const parts = missing.split("/").slice(-maxParts);
  for (let start = 0; start < Math.max(1, parts.length - 1); start++) {
    const found = byLetters.get(lettersAndDigits(parts.slice(start).join("/")));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Folders of a path that are looked at; a hostile one has thousands. */
const maxParts = 16;

/** The last part of a path, or of its folder where the last part is `index`. */
function nameOf(path: string): string {
  const parts = path.toLowerCase().split("/").slice(-2);
  const last = parts.at(-1) ?? "";
  return last === "index" ? (parts[0] ?? "") : last.replace(/\.(?:mdx?|html?)$/, "");
}
