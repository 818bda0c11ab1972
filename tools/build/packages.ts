import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bundling } from "./bundle.ts";

/**
 * The library includes of its dependencies what every export loads. Outside stay grammars, formulas and diagrams, of
 * which each site needs few.
 */
export const libraryBundling: Bundling = {
  entries: ["index", "core/index", "text/index", "export/pool/start-child", "export/pool/child"],
  external: [
    "beautiful-mermaid",
    "katex",
    "oniguruma-to-es",
    "shiki/langs",
    "shiki/themes",
    "shiki/onig.wasm",
  ],
};

/** The program includes what need not be installed: its dependencies of development, most of which `*.bundled.ts` names. */
export function programBundling(folder: string): Bundling {
  const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return {
    entries: [
      "cli/main",
      "node/isolated",
      "isolation/start",
      "db/embedded/engine-thread",
      "git/program/launcher-process",
    ],
    external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
  };
}
