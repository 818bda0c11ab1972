import type { Section } from "../results.ts";
import { benchLinks, readLinksOptions } from "./links.ts";
import { benchPrompts } from "./prompts.ts";
import { readEvaluationOptions } from "./evaluation.ts";
import { benchQuestions } from "./questions.ts";
import { benchReplays } from "./replays.ts";
import { benchTasks } from "./tasks.ts";

type Part = (sites: string | undefined, words: readonly string[]) => Promise<Section>;

const parts: ReadonlyMap<string, Part> = new Map<string, Part>([
  ["links", (sites, words) => benchLinks(sites, readLinksOptions(words))],
  ["prompts", (sites) => benchPrompts(sites)],
  ["questions", (sites, words) => benchQuestions(sites, readEvaluationOptions(words))],
  ["replays", () => benchReplays(process.env["OCTAVO_HISTORY"])],
  [
    "tasks",
    (_sites, words) => benchTasks(process.env["OCTAVO_HISTORY"], readEvaluationOptions(words)),
  ],
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
