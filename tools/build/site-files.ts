import { cpSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { makeBrowserFile } from "../../packages/site/build/browser-file.ts";
import { createIconPackageSets } from "../../packages/site/build/icon-packages.ts";
import { packIcons } from "../../packages/site/build/pack-icons.ts";
import { packMermaid } from "../../packages/site/build/pack-mermaid.ts";

/** The entry modules of a bundle's scripts. */
const scripts: readonly string[] = [
  "theme/client/first-script.ts",
  "theme/client/main.ts",
  "theme/client/components/components.ts",
  "theme/client/live-diagrams/live-diagrams.ts",
  "theme/client/not-found/redirect.ts",
  "theme/client/page-markdown/page-markdown.ts",
  "search/client/engine.ts",
];

/**
 * Builds the files that the library reads besides its modules: the scripts, style sheets and font of bundles, and
 * icons.
 */
export async function buildSiteFiles(source: string, target: string): Promise<void> {
  for (const file of [...scripts, ...globSync("theme/*.css", { cwd: source }).toSorted()]) {
    const made = join(target, file.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(made), { recursive: true });
    writeFileSync(made, await makeBrowserFile(pathToFileURL(join(source, file))));
  }
  cpSync(join(source, "theme/fonts"), join(target, "theme/fonts"), { recursive: true });
  packIcons(createIconPackageSets(), join(target, "markup/icons/packed"));
  packMermaid(join(target, "article/diagram"));
}
