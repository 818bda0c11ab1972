import type { ToolCallPart } from "ai";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { askModel, cancelled, isOutage, isTooLong, usageOfFailure } from "./ask-model.ts";
import type { AgentModel } from "./ask-model.ts";
import { compactRefused, planCompaction } from "./compaction.ts";
import { fitResult } from "./context-budget.ts";
import type { ContextBudget } from "./context-budget.ts";
import { answersAfter, conversationOf } from "./conversation.ts";
import { bounds } from "./limits.ts";
import type { AgentLimits } from "./limits.ts";
import type { AgentTool, ToolResult } from "./tools/tool.ts";
import { currentTurn, lastCompaction, now, replyText, toolCallsOf } from "./transcript.ts";
import type {
  MessageEntry,
  ModelEntry,
  ToolEntry,
  Transcript,
  TranscriptEntry,
} from "./transcript.ts";
import { fileLimit, limitOf, nearLimitMessage, reachedLimit } from "./turn-limits.ts";

export interface AgentRun {
  readonly model: AgentModel;
  readonly system: string;
  readonly tools: readonly AgentTool[];
  /** How the model's context is shared out. */
  readonly budget: ContextBudget;
  /** Holds the instruction; what is in it already is not asked for again. */
  readonly transcript: Transcript;
  readonly limits: AgentLimits;
  /** What the tools have done to files so far. */
  readonly files: FileUse;
  /** Of `performance.now()`, from which time is counted. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
}

interface FileUse {
  /** Files that were changed at some time, whether they differ now or not. */
  readonly touched: number;
  /** How many changes were refused because they would have touched too many files. */
  readonly refusals: number;
}

/** A `limit` is one as in a sentence: `100 answers of the model`. */
export type AgentOutcome =
  /** `limit`: the model was told to finish because of it, or something was refused. */
  | { readonly reason: "submitted"; readonly summary: string; readonly limit?: string }
  | { readonly reason: "limit"; readonly limit: string; readonly error: OctavoError }
  | { readonly reason: "cancelled" | "failed"; readonly error: OctavoError };

/** What the loop does next; the transcript alone says it. */
type NextStep =
  | { readonly type: "ask" }
  | { readonly type: "call"; readonly call: ToolCallPart }
  /** The model gave neither a call nor a word to end with. */
  | { readonly type: "remind"; readonly text: string }
  | { readonly type: "submitted"; readonly summary: string }
  /** As in a sentence. */
  | { readonly type: "limit"; readonly limit: string }
  | { readonly type: "failed"; readonly message: string };

/** Entries after which the model has something to do. */
const movers: ReadonlySet<TranscriptEntry["type"]> = new Set(["model", "message", "compaction"]);

/**
 * One turn of the model: it is asked, its calls are answered, until it ends in plain text or has to
 * stop. The transcript is the only state; each entry is kept before the next thing begins, so that the
 * same transcript goes on where it stopped. Throws only where the transcript or the machine fails, or where something
 * other than the model is away.
 */
export async function runAgent(run: AgentRun): Promise<AgentOutcome> {
  try {
    for (;;) {
      if (run.signal.aborted) throw cancelled();
      const step = nextStep(run.transcript.entries());
      const outcome = outcomeOf(run, step);
      if (outcome) return outcome;
      await take(run, step);
    }
  } catch (error) {
    if (run.signal.aborted) return { reason: "cancelled", error: cancelled() };
    if (isOctavoError(error) && !isOutage(error)) return { reason: "failed", error };
    throw error;
  }
}

/** How the turn ends; undefined while it goes on. */
function outcomeOf(run: AgentRun, step: NextStep): AgentOutcome | undefined {
  if (step.type === "failed") return failed(step.message);
  if (step.type === "limit") return { reason: "limit", ...step, error: limited(step.limit) };
  if (step.type !== "submitted") return undefined;
  const limit = limitOf(run.transcript.entries());
  return { reason: "submitted", summary: step.summary, ...(limit !== undefined && { limit }) };
}

async function take(run: AgentRun, step: NextStep): Promise<void> {
  if (step.type === "ask") await askWithinLimits(run);
  if (step.type === "call") await answer(run, step.call);
  if (step.type === "remind") await tell(run, { reason: "empty_answer", text: step.text });
}

/** Asks, unless something has to be said or done before: one entry at a time. */
async function askWithinLimits(run: AgentRun): Promise<void> {
  const { transcript, limits, startedAt, files, budget } = run;
  const entries = transcript.entries();
  const elapsedMs = performance.now() - startedAt;
  const state = { entries, limits, elapsedMs, touchedFiles: files.touched };
  const limit = reachedLimit(state);
  if (limit !== undefined) return await endAtLimit(run, limit);
  const near = nearLimitMessage(state);
  if (near) return await tell(run, { reason: "near_limit", ...near });
  const compaction = planCompaction(entries, budget);
  if (compaction) return await transcript.append(compaction);
  await ask(run);
}

/** In the transcript: whoever goes on from it ends the turn there too, however much time there is then. */
async function endAtLimit(run: AgentRun, limit: string): Promise<void> {
  await tell(run, {
    reason: "limit",
    limit,
    text: `This turn was ended at its limit of ${limit}.`,
  });
}

async function ask(run: AgentRun): Promise<void> {
  const { model, system, tools, transcript, signal } = run;
  const messages = conversationOf(transcript.entries());
  try {
    await transcript.append(await askModel(model, { system, messages, tools, signal }));
  } catch (error) {
    if (isTooLong(error) && !signal.aborted) return await shortenConversation(run, error);
    await keepCost(run, error);
    throw error;
  }
}

async function shortenConversation(run: AgentRun, refusal: OctavoError): Promise<void> {
  const { transcript, budget } = run;
  const compaction = compactRefused(transcript.entries(), budget);
  if (compaction) return await transcript.append(compaction);
  const isBegun = currentTurn(transcript.entries()).some(({ type }) => type === "model");
  if (!isBegun) throw refusal;
  await endAtLimit(run, "the model's context");
}

/** A call that failed may have cost tokens all the same; they count like those of an answer. */
async function keepCost({ model, transcript, signal }: AgentRun, error: unknown): Promise<void> {
  const usage = isOctavoError(error) && !signal.aborted ? usageOfFailure(error) : undefined;
  if (!usage) return;
  const nothing = { content: [], finishReason: "error" };
  await transcript.append({ type: "model", at: now(), model: model.id, ...nothing, usage });
}

async function answer(run: AgentRun, call: ToolCallPart): Promise<void> {
  const { toolName, toolCallId, input } = call;
  const { files, limits, transcript } = run;
  const tool = run.tools.find(({ name }) => name === toolName);
  const { refusals } = files;
  const result = fitResult(await callTool(run, tool, call), {
    isChanging: tool?.isChanging === true,
    entries: transcript.entries(),
    budget: run.budget,
  });
  const isFileLimit = files.refusals > refusals;
  await transcript.append({
    type: "tool",
    at: now(),
    callId: toolCallId,
    tool: toolName,
    input,
    ...result,
    hasChanged: result.status === "done" && tool?.isChanging === true,
    ...(isFileLimit && { limit: fileLimit(limits) }),
  });
}

function callTool(
  { tools, transcript, signal }: AgentRun,
  tool: AgentTool | undefined,
  { toolName, input }: ToolCallPart,
): Promise<ToolResult> {
  if (!tool) {
    const names = tools.map(({ name }) => name).join(", ");
    const error = `There is no tool ${JSON.stringify(toolName.slice(0, 100))}. The tools are: ${names}.`;
    return Promise.resolve({ output: { error }, status: "faulty" });
  }
  if (sameCalls(transcript.entries(), toolName, input) >= bounds.sameCalls) {
    const error =
      "You have made this same call before and nothing has changed since; its answers stand above. Do something else, or end.";
    return Promise.resolve({ output: { error }, status: "refused" });
  }
  return tool.call(input, signal);
}

type ServiceMessage = Pick<MessageEntry, "reason" | "text" | "limit">;

async function tell({ transcript }: AgentRun, message: ServiceMessage): Promise<void> {
  await transcript.append({ type: "message", at: now(), from: "service", ...message });
}

function limited(what: string): OctavoError {
  const message = `The work was not done within the limit of ${what}. Ask for less at once.`;
  return new OctavoError("too_large", message);
}

function failed(message: string): AgentOutcome {
  return { reason: "failed", error: new OctavoError("unavailable", message) };
}

/**
 * Does again, on a fresh checkout, what the tools did in the turn that the transcript holds. Throws
 * `conflict` where that does not come out as it did: the checkout is another.
 */
export async function repeatChanges(
  run: Pick<AgentRun, "tools" | "transcript" | "signal">,
): Promise<void> {
  for (const entry of currentTurn(run.transcript.entries())) {
    if (entry.type !== "tool" || !entry.hasChanged) continue;
    const tool = run.tools.find(({ name }) => name === entry.tool);
    const result = await tool?.call(entry.input, run.signal);
    if (result?.status === "done") continue;
    throw new OctavoError(
      "conflict",
      "The work so far cannot be done again on this checkout; it has changed meanwhile. Start the job again.",
    );
  }
}

function nextStep(entries: readonly TranscriptEntry[]): NextStep {
  const turn = currentTurn(entries);
  const index = turn.findLastIndex(({ type }) => movers.has(type));
  const last = turn[index];
  if (last?.type === "message" && last.reason === "limit") {
    return { type: "limit", limit: last.limit ?? "the turn" };
  }
  if (last?.type !== "model") return { type: "ask" };
  const answered = answersAfter(turn, index);
  const call = toolCallsOf(last).find(({ toolCallId }) => !answered.has(toolCallId));
  if (call) return stopOfCalls(entries) ?? { type: "call", call };
  if (answered.size > 0) return stopOfCalls(entries) ?? { type: "ask" };
  return afterText(turn, last);
}

function afterText(turn: readonly TranscriptEntry[], answer: ModelEntry): NextStep {
  const { finishReason } = answer;
  const text = replyText(answer);
  if (finishReason === "content-filter") {
    return { type: "failed", message: "The model's provider refused to answer." };
  }
  if (finishReason === "error") {
    return { type: "failed", message: text === "" ? "The model ended with an error." : text };
  }
  const isCut = finishReason === "length";
  if (text !== "" && !isCut) return { type: "submitted", summary: text };
  const reminders = turn.filter(
    (entry) => entry.type === "message" && entry.reason === "empty_answer",
  ).length;
  if (reminders >= bounds.emptyAnswers) {
    return { type: "failed", message: "The model gave no usable answer several times." };
  }
  return {
    type: "remind",
    text: isCut
      ? "Your answer was cut off at its greatest length. Go on in smaller steps: shorter texts, one file at a time."
      : "Your answer was empty. Call a tool to go on, or say in plain text what you did to end.",
  };
}

/** Whether calls lead nowhere: nothing a tool could take, or the same over and over. */
function stopOfCalls(entries: readonly TranscriptEntry[]): NextStep | undefined {
  const tools = currentTurn(entries).filter((entry) => entry.type === "tool");
  const sound = tools.findLastIndex(({ status }) => status !== "faulty");
  if (tools.length - 1 - sound >= bounds.faultyCalls) {
    return {
      type: "failed",
      message: "The model called tools in a way that none can take, several times.",
    };
  }
  const last = tools.at(-1);
  if (last && sameCalls(entries, last.tool, last.input) >= bounds.sameCallsEnd) {
    return {
      type: "failed",
      message: `The model called ${last.tool} with the same input over and over.`,
    };
  }
  return undefined;
}

/** How often the model can see this call answered since files last changed. */
function sameCalls(entries: readonly TranscriptEntry[], tool: string, input: unknown): number {
  const shown = currentTurn(entries.slice(lastCompaction(entries)?.before ?? 0));
  const tools: ToolEntry[] = shown.filter((entry) => entry.type === "tool");
  const changed = tools.findLastIndex(({ hasChanged }) => hasChanged);
  const key = JSON.stringify(input);
  return tools
    .slice(changed + 1)
    .filter((entry) => entry.tool === tool && !entry.isDeferred)
    .filter((entry) => JSON.stringify(entry.input) === key).length;
}
