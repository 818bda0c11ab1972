import { findOnlySimilarName, getBaseName, foldLettersAndDigits } from "../core/index.ts";

/**
 * Creates a function that returns the path in `paths` that was probably intended instead of a missing path. It first
 * looks for a path that differs only in case, punctuation and leading folders, then for the only path with the same
 * name, and then for the path in the same folder with the most similar name. The function returns undefined if there is
 * no such path or more than one.
 */
export function createSuggestions(
  paths: readonly string[],
): (missing: string) => string | undefined {
  let index: Index | undefined;
  let comparisons = 0;
  return (missing) => {
    // The index is built when it is first used, because a site without broken links does not need it.
    index ??= buildIndex(paths);
    const name = getName(missing);
    const found = findEnd(missing, index.byLetters) ?? (name === "" ? undefined : index.byName.get(name)); // prettier-ignore
    if (found !== undefined) return found;
    const siblings = index.byFolder.get(getFolder(missing)) ?? [];
    comparisons += siblings.length;
    if (comparisons > maxComparisons) return undefined;
    const names = siblings.map(getBaseName);
    const similar = findOnlySimilarName(getBaseName(missing), names);
    return similar === undefined ? undefined : siblings[names.indexOf(similar)];
  };
}

interface Index {
  readonly byLetters: ReadonlyMap<string, string>;
  /** Paths, keyed by name. The value is undefined if several paths have the name. */
  readonly byName: ReadonlyMap<string, string | undefined>;
  readonly byFolder: ReadonlyMap<string, readonly string[]>;
}

function buildIndex(paths: readonly string[]): Index {
  const byLetters = new Map<string, string>();
  const byName = new Map<string, string | undefined>();
  for (const path of paths) {
    byLetters.set(foldLettersAndDigits(path), path);
    const name = getName(path);
    byName.set(name, byName.has(name) ? undefined : path);
  }
  return { byLetters, byName, byFolder: Map.groupBy(paths, getFolder) };
}

function getFolder(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/**
 * Finds a path that equals the end of the missing path. For example, `docs/en/start` finds `en/start`, because sites
 * are moved to different folders. A match of only one name is not enough.
 */
function findEnd(missing: string, byLetters: ReadonlyMap<string, string>): string | undefined {
  const parts = missing.split("/").slice(-maxParts);
  for (let start = 0; start < Math.max(1, parts.length - 1); start++) {
    const found = byLetters.get(foldLettersAndDigits(parts.slice(start).join("/")));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The maximum number of names that are compared by their letters. A hostile site may have thousands of wrong links. */
const maxComparisons = 200_000;

/** The maximum number of parts of a path that are compared. A malicious path may have thousands of parts. */
const maxParts = 16;

/** Returns the last part of a path, or of its folder if the last part is `index`. */
function getName(path: string): string {
  const parts = path.toLowerCase().split("/").slice(-2);
  const last = parts.at(-1) ?? "";
  return last === "index" ? (parts[0] ?? "") : last.replace(/\.(?:mdx?|html?)$/, "");
}
