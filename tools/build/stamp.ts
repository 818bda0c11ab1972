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
  /** What is made from here on does not count until `set`. */
  remove(): void;
  set(): void;
}

export function createBuildStamp(repository: string): BuildStamp {
  const file = join(repository, "node_modules/.cache/octavo/build");
  const targets = ["site", "octavo"].map((name) => join(repository, "packages", name, "dist"));

  /** Of the sources, and of when each `dist/` was made: another one is not the one that was stamped. */
  function hash(): string {
    const made = targets.map((path) => String(statSync(path).birthtimeMs));
    const entries = globSync([...sources], { cwd: repository, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    return hashParts([...made, ...files.toSorted().flatMap((path) => [path, readFileSync(path)])]);
  }
  return {
    isFresh() {
      try {
        return readFileSync(file, "utf8") === hash();
      } catch {
        // Nothing was built yet, or a part of it is gone.
        return false;
      }
    },
    remove: () => rmSync(file, { force: true }),
    set() {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, hash());
    },
  };
}
