import { join, resolve } from "node:path";
import { runtimeFlags } from "../../test/support/program.ts";
import { addressOf, writePages } from "../corpus.ts";
import type { Peer } from "./peer.ts";

const program = resolve(import.meta.dirname, "../../packages/octavo/bin/octavo.js");

/** This checkout. */
export const octavo: Peer = {
  name: "Octavo",
  version: "this checkout",
  setup:
    "a folder of Markdown without configuration; highlighting, search, check of links, llms.txt",
  install: async () => undefined,
  async prepare(corpus, site) {
    const { pages, output, cache } = layoutOf(site);
    await writePages(corpus, pages, { link: (name) => `/${addressOf(name)}` });
    const command = exportCommand(site, output);
    return { command, cwd: site, output, caches: [cache] };
  },
};

/** Where things lie in the folder of a prepared site. */
export function layoutOf(site: string): { pages: string; output: string; cache: string } {
  return { pages: join(site, "pages"), output: join(site, "out"), cache: join(site, "cache") };
}

/** Exports a prepared site to `out`: a folder, or an archive by its name. */
export function exportCommand(site: string, out: string): string[] {
  const { pages, cache } = layoutOf(site);
  const octavo = [process.execPath, ...runtimeFlags, program];
  return [...octavo, "export", pages, "--out", out, "--cache", cache, "--json"];
}
