import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashParts } from "../../packages/site/src/core/index.ts";

/** What `dist/` of both packages is made of. */
const sources: readonly string[] = [
  "packages/*/{src,build}/**",
  "packages/*/{package,tsconfig.build}.json",
  "tools/build/**",
  "docs/**",
  "tsconfig.json",
  "package-lock.json",
];

/** Tells whether `dist/` was made of the sources as they are now. */
export interface BuildStamp {
  isFresh(): boolean;
  /** A hash of the sources as they are now. */
  readSources(): string;
  /** Until `set`, `dist/` counts as stale. */
  remove(): void;
  /** `sources` is the hash of those that `dist/` was made of. */
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

  /** Includes when each `dist/` was created: another one is not the one that was stamped. */
  function hash(sources: string): string {
    return hashParts([sources, ...targets.map((path) => String(statSync(path).birthtimeMs))]);
  }
  return {
    isFresh() {
      try {
        return readFileSync(file, "utf8") === hash(readSources());
      } catch {
        // Nothing was built yet, or a part of it is gone.
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
