import { createTimeoutSignal, isOctavoError, OctavoError } from "@octavo/site/core";
import type { ToolCallPart } from "ai";
import { formatNumber, nearLimitOpening } from "../core/index.ts";
import {
  callModel,
  createCancelledError,
  findFailureUsage,
  isContextExceeded,
  isServiceOutage,
} from "./ask-model.ts";
import type { AgentModel } from "./ask-model.ts";
import {
  buildConversation,
  collectToolEntries,
  compactOversizedConversation,
  fitResult,
  planCompaction,
} from "./conversation.ts";
import type { ContextBudget } from "./conversation.ts";
import { fixedLimits, type AgentLimits } from "./limits.ts";
import type { AgentTool, ToolResult } from "./tools/tool.ts";
import {
  findLastCompaction,
  getCurrentTurn,
  getReplyText,
  getTimestamp,
  listToolCalls,
  sumUsage,
} from "./transcript.ts";
import type {
  MessageEntry,
  ModelEntry,
  ToolEntry,
  Transcript,
  TranscriptEntry,
} from "./transcript.ts";

export interface AgentRun {
  readonly model: AgentModel;
  readonly system: string;
  readonly tools: readonly AgentTool[];
  /** The token limits for the conversation and for tool results. */
  readonly budget: ContextBudget;
  /** Contains the instruction. The model is not called again for replies that the transcript already contains. */
  readonly transcript: Transcript;
  readonly limits: AgentLimits;
  /** The tools' file usage so far. */
  readonly files: FileUsage;
  /** The start of this run, as returned by `performance.now()`. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
}

interface FileUsage {
  /** A number that increases with every change. */
  readonly revision: number;
  /** The files that were changed at any time, even if they are unchanged now. */
  readonly touched: ReadonlySet<string>;
  /** The number of changes that were rejected because they would have touched too many files. */
  readonly refusals: number;
}

/** The outcome of a run. A `limit` is worded for use in a sentence: `100 model replies`. */
export type AgentOutcome =
  /**
   * `limit` is set if the model was told to finish because of the limit, or if the limit caused a change to be
   * rejected.
   */
  | { readonly reason: "submitted"; readonly summary: string; readonly limit?: string }
  | { readonly reason: "limit"; readonly limit: string; readonly error: OctavoError }
  | { readonly reason: "cancelled" | "failed"; readonly error: OctavoError };

/** The next step of the loop. It is determined by the transcript alone. */
type NextStep =
  | { readonly type: "ask" }
  | { readonly type: "call"; readonly call: ToolCallPart }
  /** The reply contains neither a tool call nor text. */
  | { readonly type: "remind"; readonly text: string }
  | { readonly type: "submitted"; readonly summary: string }
  /** `limit` is worded for use in a sentence: `100 model replies`. */
  | { readonly type: "limit"; readonly limit: string }
  | { readonly type: "failed"; readonly message: string };

/** Types of the entries that determine the next step. */
const decisiveEntryTypes: ReadonlySet<TranscriptEntry["type"]> = new Set([
  "model",
  "message",
  "compaction",
]);

/**
 * Runs one turn of the model. Calls the model and answers its tool calls until it ends with plain text or must stop.
 * The transcript is the only state. Each entry is stored before the next step begins, so a run with the same transcript
 * continues where the previous one stopped. Throws only if the transcript or the machine fails, or if a service other
 * than the model is unavailable.
 */
export async function runAgent(run: AgentRun): Promise<AgentOutcome> {
  try {
    for (;;) {
      if (run.signal.aborted) throw createCancelledError();
      const step = decideNextStep(run.transcript.entries());
      const outcome = findOutcome(run, step);
      if (outcome) return outcome;
      await performStep(run, step);
    }
  } catch (error) {
    if (run.signal.aborted) return { reason: "cancelled", error: createCancelledError() };
    if (isOctavoError(error) && !isServiceOutage(error)) return { reason: "failed", error };
    throw error;
  }
}

/** Returns the turn's outcome, or undefined while the turn continues. */
function findOutcome(run: AgentRun, step: NextStep): AgentOutcome | undefined {
  if (step.type === "failed") return buildFailedOutcome(step.message);
  if (step.type === "limit")
    return { reason: "limit", ...step, error: createLimitError(run, step.limit) };
  if (step.type !== "submitted") return undefined;
  const limit = findLimit(run.transcript.entries());
  return { reason: "submitted", summary: step.summary, ...(limit !== undefined && { limit }) };
}

async function performStep(run: AgentRun, step: NextStep): Promise<void> {
  if (step.type === "ask") await askWithinLimits(run);
  if (step.type === "call") await answerCall(run, step.call);
  if (step.type === "remind")
    await appendServiceMessage(run, { reason: "empty_answer", text: step.text });
}

/** Calls the model unless a message or a compaction must come first. Appends at most one entry to the transcript. */
async function askWithinLimits(run: AgentRun): Promise<void> {
  const { transcript, limits, startedAt, files, budget } = run;
  const entries = transcript.entries();
  const elapsedMs = performance.now() - startedAt;
  const state = { entries, limits, elapsedMs, touchedFiles: files.touched.size };
  const limit = findReachedLimit(state);
  if (limit !== undefined) return await endAtLimit(run, limit);
  const warning = createNearLimitMessage(state);
  if (warning) return await appendServiceMessage(run, { reason: "near_limit", ...warning });
  const compaction = planCompaction(entries, budget);
  if (compaction) return await transcript.append(compaction);
  await askModel(run);
}

/** Records the limit in the transcript, so that a later run of the turn also ends there, even if it has more time. */
async function endAtLimit(run: AgentRun, limit: string): Promise<void> {
  await appendServiceMessage(run, {
    reason: "limit",
    limit,
    text: `This turn was stopped at its limit of ${limit}.`,
  });
}

async function askModel(run: AgentRun): Promise<void> {
  const { model, system, tools, transcript, limits, signal } = run;
  const messages = buildConversation(transcript.entries());
  const remainingMs = limits.timeMs - (performance.now() - run.startedAt);
  // Without a deadline, a server that sends heartbeats could keep the call waiting beyond the
  // turn's time limit.
  const deadline = createTimeoutSignal(remainingMs + fixedLimits.maxLateReplyMs);
  try {
    await transcript.append(await callModel(model, { system, messages, tools, deadline, signal }));
  } catch (error) {
    if (deadline.aborted && !signal.aborted) return await endAtLimit(run, formatTimeLimit(limits));
    if (isContextExceeded(error) && !signal.aborted) return await shortenConversation(run, error);
    await recordFailedUsage(run, error);
    throw error;
  }
}

async function shortenConversation(run: AgentRun, rejection: OctavoError): Promise<void> {
  const { transcript, budget } = run;
  const compaction = compactOversizedConversation(transcript.entries(), budget);
  if (compaction) return await transcript.append(compaction);
  const hasReplied = getCurrentTurn(transcript.entries()).some(({ type }) => type === "model");
  if (!hasReplied) throw rejection;
  await endAtLimit(run, "the model's context");
}

/** Records the tokens of a failed call, which count like those of a successful call. */
async function recordFailedUsage(
  { model, transcript, signal }: AgentRun,
  error: unknown,
): Promise<void> {
  const usage = isOctavoError(error) && !signal.aborted ? findFailureUsage(error) : undefined;
  if (!usage) return;
  const emptyReply = { content: [], finishReason: "error" };
  await transcript.append({
    type: "model",
    at: getTimestamp(),
    model: model.id,
    ...emptyReply,
    usage,
  });
}

async function answerCall(run: AgentRun, call: ToolCallPart): Promise<void> {
  const { toolName, toolCallId, input } = call;
  const { files, limits, transcript } = run;
  const tool = run.tools.find(({ name }) => name === toolName);
  const { refusals, revision } = files;
  const result = fitResult(await callTool(run, tool, call), {
    isChanging: tool?.isChanging === true,
    entries: transcript.entries(),
    budget: run.budget,
  });
  const isOverFileLimit = files.refusals > refusals;
  await transcript.append({
    type: "tool",
    at: getTimestamp(),
    callId: toolCallId,
    tool: toolName,
    input,
    ...result,
    hasChanged: result.status === "done" && files.revision > revision,
    ...(isOverFileLimit && { limit: formatFileLimit(limits) }),
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
  if (countSameCalls(transcript.entries(), toolName, input) >= fixedLimits.maxAnswersToSameCall) {
    const error =
      "You have already made this call, and nothing has changed since; its results are above. Do something else, or end.";
    return Promise.resolve({ output: { error }, status: "refused" });
  }
  return tool.call(input, signal);
}

type ServiceMessage = Pick<MessageEntry, "reason" | "text" | "limit">;

async function appendServiceMessage(
  { transcript }: AgentRun,
  message: ServiceMessage,
): Promise<void> {
  await transcript.append({ type: "message", at: getTimestamp(), from: "service", ...message });
}

function createLimitError({ model, transcript }: AgentRun, limit: string): OctavoError {
  const hasReplied = getCurrentTurn(transcript.entries()).some(({ type }) => type === "model");
  if (!hasReplied) {
    const message = `The model ${model.id} did not finish its first reply within the limit of ${limit}. Its server may be overloaded: try again later, or choose another model.`;
    return new OctavoError("too_large", message);
  }
  const message = `The work was not finished within the limit of ${limit}. Ask for less at a time.`;
  return new OctavoError("too_large", message);
}

function buildFailedOutcome(message: string): AgentOutcome {
  return { reason: "failed", error: new OctavoError("unavailable", message) };
}

/**
 * Replays the changes that the transcript records for the turn on a fresh checkout. Throws `conflict` if a change
 * cannot be replayed because the checkout differs.
 */
export async function replayChanges(
  run: Pick<AgentRun, "tools" | "transcript" | "signal">,
): Promise<void> {
  for (const entry of getCurrentTurn(run.transcript.entries())) {
    if (entry.type !== "tool" || !entry.hasChanged) continue;
    const tool = run.tools.find(({ name }) => name === entry.tool);
    const result = await tool?.call(entry.input, run.signal);
    if (result?.status === "done") continue;
    throw new OctavoError(
      "conflict",
      "The work so far cannot be replayed because the checkout has changed. Start the job again.",
    );
  }
}

function decideNextStep(entries: readonly TranscriptEntry[]): NextStep {
  const turn = getCurrentTurn(entries);
  const index = turn.findLastIndex(({ type }) => decisiveEntryTypes.has(type));
  const last = turn[index];
  if (last?.type === "message" && last.reason === "limit") {
    return { type: "limit", limit: last.limit ?? "the turn" };
  }
  if (last?.type !== "model") return { type: "ask" };
  const answered = collectToolEntries(turn, index);
  const call = listToolCalls(last).find(({ toolCallId }) => !answered.has(toolCallId));
  if (call) return findCallStop(entries) ?? { type: "call", call };
  if (answered.size > 0) return findCallStop(entries) ?? { type: "ask" };
  return decideAfterText(turn, last);
}

function decideAfterText(turn: readonly TranscriptEntry[], answer: ModelEntry): NextStep {
  const { finishReason } = answer;
  const text = getReplyText(answer);
  if (finishReason === "content-filter") {
    return { type: "failed", message: "The model's provider refused to respond." };
  }
  if (finishReason === "error") {
    return {
      type: "failed",
      message: text === "" ? "The model stopped because of an error." : text,
    };
  }
  const isTruncated = finishReason === "length";
  if (text !== "" && !isTruncated) return { type: "submitted", summary: text };
  const reminders = turn.filter(
    (entry) => entry.type === "message" && entry.reason === "empty_answer",
  ).length;
  if (reminders >= fixedLimits.maxEmptyReplies) {
    return { type: "failed", message: "The model repeatedly gave no usable answer." };
  }
  return {
    type: "remind",
    text: isTruncated
      ? "Your answer was cut off at its maximum length. Continue in smaller steps: shorter texts, one file at a time."
      : "Your answer was empty. To continue, call a tool; to end, say in plain text what you did.",
  };
}

/**
 * Returns the reason to stop a turn whose tool calls are all malformed or repeat the same input; undefined otherwise.
 */
function findCallStop(entries: readonly TranscriptEntry[]): NextStep | undefined {
  const tools = getCurrentTurn(entries).filter((entry) => entry.type === "tool");
  const lastValidIndex = tools.findLastIndex(({ status }) => status !== "faulty");
  if (tools.length - 1 - lastValidIndex >= fixedLimits.maxMalformedCalls) {
    return {
      type: "failed",
      message: "The model repeatedly called tools with invalid input.",
    };
  }
  const last = tools.at(-1);
  if (last && countSameCalls(entries, last.tool, last.input) >= fixedLimits.maxSameCalls) {
    return {
      type: "failed",
      message: `The model called ${last.tool} with the same input over and over.`,
    };
  }
  return undefined;
}

/** Counts the answers to this call since files last changed, as far as the model can still see them. */
function countSameCalls(entries: readonly TranscriptEntry[], tool: string, input: unknown): number {
  const key = JSON.stringify(input);
  const first = findLastCompaction(entries)?.before ?? 0;
  let count = 0;
  for (let index = entries.length - 1; index >= first; index--) {
    const entry = entries[index];
    if (entry?.type === "message" && entry.from === "person") break;
    if (entry?.type !== "tool") continue;
    if (entry.hasChanged) break;
    if (entry.tool === tool && !entry.isDeferred && getInputKey(entry) === key) count += 1;
  }
  return count;
}

/** Each call is compared with all earlier calls, so each key is computed only once. Entries never change. */
const inputKeys = new WeakMap<ToolEntry, string>();

function getInputKey(entry: ToolEntry): string {
  const key = inputKeys.get(entry) ?? JSON.stringify(entry.input);
  inputKeys.set(entry, key);
  return key;
}

/** A turn's usage so far. */
interface TurnState {
  readonly entries: readonly TranscriptEntry[];
  readonly limits: AgentLimits;
  readonly elapsedMs: number;
  /** The number of files changed in the turn, even if they are unchanged now. */
  readonly touchedFiles: number;
}

/** A limit of a turn, with the amount that remains. */
interface Gauge {
  /** The name, worded for use in a sentence: `100 model replies`. */
  readonly name: string;
  /** The remaining amount with its verb: `5 replies are`. */
  readonly remaining: string;
  readonly isReached: boolean;
  readonly isNear: boolean;
}

/** The share of a limit that is considered near: the last tenth. */
const nearShare = 0.1;
const nearSteps = 2;
/**
 * The token limit is considered near when fewer than this number of further requests fit. A request is at least as long
 * as the previous one.
 */
const nearRequests = 3;

/**
 * Returns the limit that the turn has reached, worded for use in a sentence. The file limit does not end a turn;
 * additional files are rejected individually.
 */
function findReachedLimit(state: TurnState): string | undefined {
  return listGauges(state).find(({ isReached }) => isReached)?.name;
}

/** Returns the warning that the model receives once per turn, while it can still finish. */
function createNearLimitMessage(
  state: TurnState,
): Pick<MessageEntry, "text" | "limit"> | undefined {
  const turn = getCurrentTurn(state.entries);
  const hasReplied = turn.some(({ type }) => type === "model");
  const isWarned = turn.some((entry) => entry.type === "message" && entry.reason === "near_limit");
  const nearGauge =
    hasReplied && !isWarned ? listGauges(state).find(({ isNear }) => isNear) : undefined;
  if (!nearGauge) return undefined;
  const text = `${nearLimitOpening} ${nearGauge.name}: ${nearGauge.remaining} left. Do not start anything new. Finish what you have begun so that check finds no new errors, then end in plain text: what you did, and what is left to do. Your work becomes a draft that someone else continues.`;
  return { text, limit: nearGauge.name };
}

function listGauges(state: TurnState): readonly Gauge[] {
  return [
    buildStepGauge(state),
    buildTokenGauge(state),
    buildTimeGauge(state),
    buildFileGauge(state),
  ];
}

function buildStepGauge({ entries, limits }: TurnState): Gauge {
  const remaining = limits.steps - sumUsage(getCurrentTurn(entries)).steps;
  return {
    name: `${limits.steps} model replies`,
    remaining: remaining === 1 ? "1 reply is" : `${remaining} replies are`,
    isReached: remaining <= 0,
    isNear: remaining <= Math.max(nearSteps, Math.ceil(limits.steps * nearShare)),
  };
}

function buildTokenGauge({ entries, limits }: TurnState): Gauge {
  const turn = getCurrentTurn(entries);
  const { inputTokens, outputTokens } = sumUsage(turn);
  const remaining = limits.tokens - inputTokens - outputTokens;
  const last = sumUsage(turn.filter(({ type }) => type === "model").slice(-1));
  const nearTokens = (last.inputTokens + last.outputTokens) * nearRequests;
  return {
    name: `${formatNumber(limits.tokens)} tokens`,
    remaining: `${formatNumber(remaining)} tokens are`,
    isReached: remaining <= 0,
    isNear: remaining <= Math.max(nearTokens, limits.tokens * nearShare),
  };
}

function buildTimeGauge({ limits, elapsedMs }: TurnState): Gauge {
  const remainingMs = limits.timeMs - elapsedMs;
  return {
    name: formatTimeLimit(limits),
    remaining: `${Math.round(remainingMs / 1_000)} seconds are`,
    isReached: remainingMs <= 0,
    isNear: remainingMs <= limits.timeMs * nearShare,
  };
}

function buildFileGauge({ entries, limits, touchedFiles }: TurnState): Gauge {
  const remaining = limits.changedFiles - touchedFiles;
  const isRefused = getCurrentTurn(entries).some(
    (entry) => entry.type === "tool" && entry.limit !== undefined,
  );
  return {
    name: formatFileLimit(limits),
    remaining: remaining === 1 ? "1 file is" : `${remaining} files are`,
    isReached: false,
    isNear: isRefused || remaining <= limits.changedFiles * nearShare,
  };
}

function formatTimeLimit({ timeMs }: AgentLimits): string {
  return `${Math.round(timeMs / 1_000)} seconds`;
}

function formatFileLimit({ changedFiles }: AgentLimits): string {
  return `${changedFiles} changed files`;
}

/**
 * Returns the limit that has affected the turn, worded for use in a sentence. Returns undefined if no limit has
 * affected the turn.
 */
function findLimit(entries: readonly TranscriptEntry[]): string | undefined {
  const limits = getCurrentTurn(entries).flatMap((entry) =>
    entry.type === "message" || entry.type === "tool" ? (entry.limit ?? []) : [],
  );
  return limits.at(-1);
}
