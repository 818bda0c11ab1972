import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../packages/site/src/core/index.ts";
import { packPackages } from "../../test/install/packed.ts";
import { addressOf, writePages } from "../corpus.ts";
import { installPackages, programOf } from "./npm-packages.ts";
import type { Packages } from "./npm-packages.ts";
import type { Peer } from "./peer.ts";
import { run } from "./run.ts";

/** This checkout, built, packed and installed as by those who use it. */
export const octavo: Peer = {
  name: "Octavo",
  version: "this checkout",
  setup:
    "a folder of Markdown without configuration; highlighting, search, check of links, llms.txt",
  async install(folder) {
    await installPackages(folder, await packCheckout(`${folder}-packages`));
    await exportFirst(folder);
  },
  async prepare(corpus, site) {
    const { pages, output, cache } = layoutOf(site);
    await writePages(corpus, pages, { link: (name) => `/${addressOf(name)}` });
    const command = exportCommand(site, output);
    return { command, cwd: site, output, caches: [cache] };
  },
};

/** Each package has its hash in its file's name, so that npm installs it again whenever it is another one. */
async function packCheckout(folder: string): Promise<Packages> {
  await mkdir(folder, { recursive: true });
  const packages: Record<string, string> = {};
  for (const { name, tarball } of await packPackages(folder)) {
    const hashed = join(folder, `${sha256(await readFile(tarball))}.tgz`);
    await rename(tarball, hashed);
    packages[name] = `file:${hashed}`;
  }
  return packages;
}

/** The first export after an installation compiles the program, and caches that for all others. */
async function exportFirst(folder: string): Promise<void> {
  const site = join(folder, "first");
  await mkdir(site, { recursive: true });
  await writeFile(join(site, "index.md"), "# First\n");
  const out = join(folder, "first-bundle");
  await run([programOf(folder, "octavo"), "export", site, "--out", out, "--no-cache"], folder);
}

/** Where things lie in the folder of a prepared site. */
export function layoutOf(site: string): { pages: string; output: string; cache: string } {
  return { pages: join(site, "pages"), output: join(site, "out"), cache: join(site, "cache") };
}

/** Exports a prepared site to `out`: a folder, or an archive by its name. */
export function exportCommand(site: string, out: string): string[] {
  const { pages, cache } = layoutOf(site);
  const program = programOf(join(site, "../.."), "octavo");
  return [program, "export", pages, "--out", out, "--cache", cache, "--json"];
}
