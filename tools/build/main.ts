/**
 * `npm run build`: makes `dist/` of both packages anew, module for module as `src/` is, so that files which lie
 * beside a module are found there too. The same sources give the same bytes. With `--if-changed` nothing is done
 * where `dist/` is of the sources as they are: `npm pack` runs it for each package.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { bundlePackages } from "./bundle-packages.ts";
import { buildServiceFiles } from "./service-files.ts";
import { buildSiteFiles } from "./site-files.ts";
import { createBuildStamp } from "./stamp.ts";

const repository = join(import.meta.dirname, "../..");

function compile(folder: string): void {
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  const project = join(folder, "tsconfig.build.json");
  execFileSync(join(repository, "node_modules/.bin/tsc"), ["-p", project], { stdio: "inherit" });
  bundlePackages(folder);
}

/** The library first: what the program is compiled against are its types in `dist/`, as for programs of others. */
async function build(): Promise<void> {
  const site = join(repository, "packages/site");
  const octavo = join(repository, "packages/octavo");
  compile(site);
  await buildSiteFiles(site);
  compile(octavo);
  buildServiceFiles(octavo, join(repository, "docs"));
}

const stamp = createBuildStamp(repository);
if (!process.argv.includes("--if-changed") || !stamp.isFresh()) {
  stamp.remove();
  await build();
  stamp.set();
}
