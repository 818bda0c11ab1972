import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { Corpus } from "../corpus.ts";
import { exportCommand, layoutOf, octavo } from "../peers/octavo.ts";
import { measure } from "../process-meter.ts";
import type { Usage } from "../process-meter.ts";
import { progress } from "../progress.ts";
import { buildCold } from "./cold-build.ts";
import { prepareSite } from "./pairs.ts";

const repetitions = 3;

export interface EditedPage {
  readonly cold: Usage;
  /** Into the folder that the cold export wrote. */
  readonly folder: readonly Usage[];
  /** As a new `.tar.gz`, with the pages that the cold export cached. The first one packs everything. */
  readonly archive: readonly Usage[];
  /** As a new `.zip`, which is the same. */
  readonly zip: readonly Usage[];
}

/** Exports a site, and exports it again whenever a sentence was added to one page. */
export async function measureEditedPage(corpus: Corpus, work: string): Promise<EditedPage> {
  const build = await prepareSite(octavo, corpus, work);
  const page = corpus[Math.floor(corpus.length / 2)]?.name ?? "index";
  const file = join(layoutOf(build.cwd).pages, `${page}.md`);
  progress(`Octavo, ${corpus.length} pages, again after one edited page`);
  const cold = await buildCold(build);
  let edits = 0;
  const again = async (out: string) => {
    const usages: Usage[] = [];
    for (let index = 0; index < repetitions; index += 1) {
      await appendFile(file, `\nThis page was edited ${++edits} times.\n`);
      usages.push(await measure(exportCommand(build.cwd, out), { cwd: build.cwd }));
    }
    return usages;
  };
  const folder = await again(build.output);
  const archive = await again(join(build.cwd, "out.tar.gz"));
  return { cold, folder, archive, zip: await again(join(build.cwd, "out.zip")) };
}
