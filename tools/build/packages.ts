import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bundling } from "./bundle.ts";

/**
 * The library's bundle includes the dependencies that every export loads, and the drawing library for diagrams, whose
 * packages are five times as large as the modules that are used. Grammars and formulas are not bundled, because each
 * site needs only a few of them.
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

/**
 * Returns the bundling of the program, which includes its development dependencies, because users do not install them.
 * `*.bundled.ts` lists most of these dependencies.
 */
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
