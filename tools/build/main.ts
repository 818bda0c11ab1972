/**
 * `npm run build` builds `dist/` of both packages from scratch. The same sources always produce the same bytes. The new
 * folders replace the old ones only when both are complete. A build that fails or is interrupted leaves the previous
 * folders unchanged, and programs that run from them are not affected. A build waits for any other build of the same
 * checkout. With `--if-changed`, nothing is built if `dist/` was built from the current sources, because `npm pack`
 * runs this command for each package.
 */
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { lockBuild } from "./build-lock.ts";
import { compile } from "./compile.ts";
import { exportManual } from "./manual.ts";
import { libraryBundling, programBundling } from "./packages.ts";
import { buildServiceFiles } from "./service-files.ts";
import { buildSiteFiles } from "./site-files.ts";
import { openStagedDist } from "./staged-dist.ts";
import { createBuildStamp } from "./stamp.ts";

const repository = join(import.meta.dirname, "../..");
const site = join(repository, "packages/site");
const octavo = join(repository, "packages/octavo");
const scratch = join(repository, "node_modules/.cache/octavo");

/** Builds the library first, because the program is compiled against the library's new types, as other programs are. */
async function build(): Promise<void> {
  const sources = stamp.readSources();
  using library = openStagedDist(site);
  using program = openStagedDist(octavo);
  compile({ folder: site, target: library.path, scratch });
  await bundle(site, library.path, libraryBundling);
  await buildSiteFiles(join(site, "src"), library.path);
  compile({
    folder: octavo,
    target: program.path,
    scratch,
    library: { folder: site, types: library.path },
  });
  await bundle(octavo, program.path, programBundling(octavo));
  const manual = join(repository, "docs");
  buildServiceFiles(join(octavo, "src"), program.path, manual);
  await exportManual(manual, join(program.path, "manual.zip"));
  // The code below is synchronous, so that a signal ends the process only after both folders are replaced.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
  stamp.remove();
  library.putInPlace();
  program.putInPlace();
  stamp.set(sources);
}

const stamp = createBuildStamp(repository);
using _lock = lockBuild(join(scratch, "build-lock"), () =>
  process.stderr.write("Another build of this checkout is running; waiting for it to end.\n"),
);
if (!process.argv.includes("--if-changed") || !stamp.isFresh()) await build();
