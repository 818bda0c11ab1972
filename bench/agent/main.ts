import type { Section } from "../results.ts";
import { benchPrompts } from "./prompts.ts";

type Part = (sites: string | undefined) => Promise<Section>;

const parts: ReadonlyMap<string, Part> = new Map([["prompts", benchPrompts]]);

/** `npm run bench:agent -- [part]`: what agents do, one part or all. */
export async function* benchAgent(
  sites: string | undefined,
  only: string | undefined,
): AsyncIterable<Section> {
  for (const [name, part] of parts) {
    if (only === undefined || only === name) yield await part(sites);
  }
}
