import type { Section } from "../results.ts";
import { benchLinks, readLinksOptions } from "./links.ts";
import { benchPrompts } from "./prompts.ts";
import { benchReplays } from "./replays.ts";

type Part = (sites: string | undefined, words: readonly string[]) => Promise<Section>;

const parts: ReadonlyMap<string, Part> = new Map<string, Part>([
  ["links", (sites, words) => benchLinks(sites, readLinksOptions(words))],
  ["prompts", (sites) => benchPrompts(sites)],
  ["replays", () => benchReplays(process.env["OCTAVO_HISTORY"])],
]);

/** `npm run bench:agent -- [part] [words]`: what agents do, one part or all. */
export async function* benchAgent(
  sites: string | undefined,
  [only, ...words]: readonly string[],
): AsyncIterable<Section> {
  for (const [name, part] of parts) {
    if (only === undefined || only === name) yield await part(sites, words);
  }
}
