import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { RenderChildren } from "@octavo/site";
import type {
  ActiveContent,
  AgentModel,
  Transcript,
  TranscriptEntry,
  TurnOutcome,
  TurnSettings,
  TurnSource,
} from "../agent/index.ts";
import type { HistoryContext, SourcePosition } from "../git/index.ts";
import type { Isolation } from "../isolation/index.ts";
import { builtinModels } from "./builtin-models.ts";

/**
 * Runs a turn of an agent job in a separate process. That process reads the folder, the history and the sources, and
 * runs tools and built-in rules. The model's provider, the transcript and credentials remain in the service's process,
 * which the separate process calls.
 */

/** A turn in the form that is sent to another process. */
type SentTurn = Omit<TurnSettings, "children" | "history" | "model" | "sources" | "transcript"> & {
  readonly history: HistoryContext | undefined;
  readonly sources: readonly SentSource[];
  readonly model: SentModel;
  readonly entries: readonly TranscriptEntry[];
  readonly append: Transcript["append"];
};

type SentSource = Omit<TurnSource, "open"> & {
  readonly locate: (commit: string | undefined, signal: AbortSignal) => Promise<SourcePosition>;
};

type SentModel = Omit<AgentModel, "model"> & {
  /**
   * The model of a provider; undefined for a built-in model, which runs in the turn's process because it reads the
   * site's text.
   */
  readonly providerModel: ProviderModel | undefined;
};

type ProviderModel = Pick<LanguageModelV4, "provider" | "modelId" | "doGenerate"> & {
  readonly supportedUrls: Awaited<LanguageModelV4["supportedUrls"]>;
};

/** The operations of this module that run in a separate process. */
export interface TurnOperations {
  performTurn(turn: SentTurn): Promise<TurnOutcome>;
  findActiveContent(diff: string): Promise<readonly ActiveContent[]>;
}

const builtinPrefix = "builtin/";

/** Runs a turn like `performTurn` of `agent/`, but in a separate process. */
export async function performIsolatedTurn(
  isolation: Isolation<TurnOperations>,
  settings: TurnSettings,
): Promise<TurnOutcome> {
  const { children: _, history, sources = [], model, transcript, ...sharedSettings } = settings;
  const sentTurn: SentTurn = {
    ...sharedSettings,
    history: history?.context,
    sources: sources.map(({ open, ...source }) => ({
      ...source,
      locate: async (commit, signal) => (await open(commit, signal)).position,
    })),
    model: await sendModel(model),
    entries: transcript.entries(),
    append: (entry) => transcript.append(entry),
  };
  // Jobs that share a cache belong to the same project, so they may share a process.
  const options = { signal: settings.signal, owner: settings.cacheDir };
  return await isolation.run((program) => program.performTurn(sentTurn), options);
}

/** The maximum length, in characters, of a diff that takes less time to search than a process takes to start. */
const maxDiffLength = 64 * 1024;

/** Finds active content like `findActiveContent` of `agent/`, but in a separate process if the diff is long. */
export async function findIsolatedContent(
  isolation: Isolation<TurnOperations>,
  diff: string,
): Promise<readonly ActiveContent[]> {
  if (diff.length <= maxDiffLength) {
    return (await import("../agent/index.ts")).findActiveContent(diff);
  }
  return await isolation.run((program) => program.findActiveContent(diff));
}

async function sendModel({ model, ...metadata }: AgentModel): Promise<SentModel> {
  if (metadata.id.startsWith(builtinPrefix)) return { ...metadata, providerModel: undefined };
  const { provider, modelId } = model;
  const supportedUrls = await model.supportedUrls;
  const doGenerate: ProviderModel["doGenerate"] = (options) => model.doGenerate(options);
  return { ...metadata, providerModel: { provider, modelId, supportedUrls, doGenerate } };
}

/** Runs a turn in the process to which it was sent. */
export async function performSentTurn(
  sentTurn: SentTurn,
  children: RenderChildren,
): Promise<TurnOutcome> {
  const { history, sources, model, entries, append, ...sharedSettings } = sentTurn;
  const { createMemoryTranscript, performTurn } = await import("../agent/index.ts");
  const { openContentHistory, reopenSourceReader } = await import("../git/index.ts");
  const transcriptCopy = createMemoryTranscript(entries);
  return await performTurn({
    ...sharedSettings,
    children,
    history: history && openContentHistory(history),
    sources: sources.map(({ locate, ...source }) => ({
      ...source,
      open: async (commit, signal) => await reopenSourceReader(await locate(commit, signal)),
    })),
    model: await receiveModel(model),
    transcript: {
      entries: () => transcriptCopy.entries(),
      async append(entry) {
        await append(entry);
        await transcriptCopy.append(entry);
      },
    },
  });
}

async function receiveModel({ providerModel, ...model }: SentModel): Promise<AgentModel> {
  if (providerModel) return { ...model, model: toLanguageModel(providerModel) };
  const open = builtinModels[model.id.slice(builtinPrefix.length)];
  if (!open) throw new Error(`The model ${model.id} is not built in.`);
  return { ...model, model: await open() };
}

function toLanguageModel(providerModel: ProviderModel): LanguageModelV4 {
  const { provider, modelId, supportedUrls, doGenerate } = providerModel;
  return {
    specificationVersion: "v4",
    provider,
    modelId,
    supportedUrls,
    doGenerate,
    doStream: () => Promise.reject(new Error("Streaming is not supported here.")),
  };
}
