import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashParts } from "../../packages/site/src/core/index.ts";

/** Patterns of the sources from which `dist/` of both packages is built. */
const sources: readonly string[] = [
  "packages/*/{src,build}/**",
  "packages/*/{package,tsconfig.build}.json",
  "tools/build/**",
  "docs/**",
  "tsconfig.json",
  "package-lock.json",
];

/**
 * The record of the sources from which `dist/` of both packages was built. `isFresh` reports whether they are the
 * current sources.
 */
export interface BuildStamp {
  isFresh(): boolean;
  /** Returns a hash of the current sources. */
  readSources(): string;
  /** Removes the stamp. `dist/` is then stale until `set` is called. */
  remove(): void;
  /** Sets the stamp; `sources` is the hash of the sources from which `dist/` was built. */
  set(sources: string): void;
}

export function createBuildStamp(repository: string): BuildStamp {
  const file = join(repository, "node_modules/.cache/octavo/build");
  const targets = ["site", "octavo"].map((name) => join(repository, "packages", name, "dist"));

  function readSources(): string {
    const entries = globSync([...sources], { cwd: repository, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return hashParts(files.toSorted().flatMap((path) => [path, readFileSync(path)]));
  }

  /**
   * Returns the content of the stamp, which includes the creation time of each `dist/`, so that the stamp does not
   * apply to a replaced folder.
   */
  function hash(sources: string): string {
    return hashParts([sources, ...targets.map((path) => String(statSync(path).birthtimeMs))]);
  }
  return {
    isFresh() {
      try {
        return readFileSync(file, "utf8") === hash(readSources());
      } catch {
        // Nothing has been built yet, or part of the build was removed.
        return false;
      }
    },
    readSources,
    remove: () => rmSync(file, { force: true }),
    set(sources) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, hash(sources));
    },
  };
}
