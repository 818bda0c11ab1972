import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import {
  createMemoryTranscript,
  defaultAgentLimits,
  performTurn,
  type TurnSettings,
} from "../../packages/octavo/src/agent/index.ts";
import { parseAllowList } from "../../packages/octavo/src/core/index.ts";
import { openModel } from "../../packages/octavo/src/model/index.ts";
import { smallSite, type SiteFileTexts } from "./agent-site.ts";
import { folderFor, openAuthor } from "./git-fixture.ts";
import { startModelServer, type Turn } from "./model-server.ts";
import { sharedChildren } from "./shared-children.ts";
import { temporaryFolder, type TemporaryFolder } from "./temporary-folder.ts";

/** A model for each wire format, and its path on the scripted server. */
export const scriptedWires = [
  ["anthropic", "claude-sonnet-4-5", "/v1"],
  ["openai", "gpt-5", "/v1"],
  ["google", "gemini-2.5-flash", "/v1beta"],
  ["compatible", "scripted", "/v1"],
] as const;
export type ScriptedWire = (typeof scriptedWires)[number];

interface ScriptedTurnOptions extends Partial<TurnSettings> {
  readonly files?: SiteFileTexts;
  readonly text?: string;
  readonly delivery?: "streamed" | "whole";
}

/**
 * Returns a function that performs a turn with a model that answers by a script, over one wire format. Call it at the
 * top of a test file. The turns share a cache, as jobs do, because most of their pages are the same.
 */
export function scriptedTurns() {
  const children = sharedChildren();
  let cache: TemporaryFolder;
  before(async () => {
    cache = await temporaryFolder();
  });
  after(() => cache[Symbol.asyncDispose]());

  return async function perform(
    t: TestContext,
    [provider, model, path]: ScriptedWire,
    script: readonly Turn[],
    { files = smallSite, text = "Do it.", delivery = "streamed", ...settings }: ScriptedTurnOptions = {}, // prettier-ignore
  ) {
    const author = await openAuthor(join(await folderFor(t), "checkout"));
    await author.commit(files);
    await using server = await startModelServer(script);
    const transcript = settings.transcript ?? createMemoryTranscript();
    const result = await performTurn({
      checkout: author.folder,
      siteDir: ".",
      model: await openModel(`${provider}/${model}`, {
        keys: { [provider]: "a-key" },
        baseUrls: { [provider]: `${server.url}${path}` },
        allow: parseAllowList(`127.0.0.1:${server.port}`),
        contextTokens: undefined,
        limits: { firstWaitMs: 1, contextTokens: 100_000, maxOutputTokens: 8_000 },
        delivery,
      }),
      instruction: { id: "m1", text },
      limits: defaultAgentLimits,
      cacheDir: cache.path,
      workers: 1,
      children,
      signal: new AbortController().signal,
      ...settings,
      transcript,
    });
    const entries = transcript.entries();
    const reasons = entries.flatMap((entry) =>
      entry.type === "message" ? (entry.reason ?? []) : [],
    );
    return { result, entries, reasons, requests: server.requests };
  };
}
