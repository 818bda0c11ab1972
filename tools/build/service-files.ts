import { cpSync, globSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";

const minified = /\.(?:css|js)$/;

/**
 * Builds the files that the program reads besides its modules: the minified style sheets and scripts of the dashboard
 * and of previews, the embedded database's new cluster, and the manual, which `--demo` shows.
 */
export function buildServiceFiles(source: string, target: string, manual: string): void {
  const files = globSync(["**/assets/*", "engine/new-cluster.zst"], { cwd: source });
  buildSync({
    entryPoints: files.filter((file) => minified.test(file)).map((file) => join(source, file)),
    outbase: source,
    outdir: target,
    minify: true,
    charset: "utf8",
    tsconfigRaw: {},
  });
  for (const file of files.filter((name) => !minified.test(name))) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(source, file), join(target, file));
  }
  cpSync(manual, join(target, "manual"), { recursive: true });
  // The decision records are only for developers of Octavo.
  rmSync(join(target, "manual/decisions"), { recursive: true, force: true });
}
