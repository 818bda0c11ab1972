import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bundling } from "./bundle.ts";

/**
 * The library includes those of its dependencies that every export loads, and the drawing library of diagrams, whose
 * packages are five times as large as the parts in use. Grammars and formulas, of which each site needs few, stay
 * outside.
 */
export const libraryBundling: Bundling = {
  entries: [
    "index",
    "core/index",
    "sandbox/index",
    "text/index",
    "sandbox/start-child",
    "export/pool/child",
  ],
  external: ["katex", "oniguruma-to-es", "shiki/langs", "shiki/themes", "shiki/onig.wasm"],
};

/** The program includes its development dependencies, most of which `*.bundled.ts` names. Users do not install them. */
export function programBundling(folder: string): Bundling {
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return {
    entries: [
      "cli/main",
      "node/isolated",
      "isolation/start",
      "engine/engine-thread",
      "git/program/launcher-process",
    ],
    external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
  };
}
