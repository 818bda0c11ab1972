import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./run.ts";

/** Packages by name, each with its exact version. */
export type Packages = Readonly<Record<string, string>>;

/** Installs packages from npm into `folder`, unless just these are there. */
export async function installPackages(folder: string, packages: Packages): Promise<void> {
  const manifest = JSON.stringify(
    { private: true, type: "module", dependencies: packages },
    null,
    2,
  );
  // Written last: it is there only when everything else is.
  const installed = join(folder, "installed.json");
  if ((await readFile(installed, "utf8").catch(() => "")) === manifest) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), manifest);
  await run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"], folder);
  await writeFile(installed, manifest);
}

/** A package's program, for a site below the folder in which it was installed. */
export function programOf(folder: string, name: string): string {
  return join(folder, "node_modules/.bin", name);
}
