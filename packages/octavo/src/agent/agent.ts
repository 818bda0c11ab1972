import type { ToolCallPart } from "ai";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { askModel, cancelled } from "./ask-model.ts";
import type { AgentModel } from "./ask-model.ts";
import { conversationOf } from "./conversation.ts";
import { bounds } from "./limits.ts";
import type { AgentLimits } from "./limits.ts";
import { usageOfFailure } from "./model-error.ts";
import { nextStep, sameCalls } from "./next-step.ts";
import type { NextStep } from "./next-step.ts";
import type { AgentTool, ToolResult } from "./tools/tool.ts";
import { currentTurn, now, usageOf } from "./transcript.ts";
import type { Transcript } from "./transcript.ts";

export interface AgentRun {
  readonly model: AgentModel;
  readonly system: string;
  readonly tools: readonly AgentTool[];
  /** Holds the instruction; what is in it already is not asked for again. */
  readonly transcript: Transcript;
  readonly limits: AgentLimits;
  /** Of `performance.now()`, from which time is counted. */
  readonly startedAt: number;
  readonly signal: AbortSignal;
}

export type AgentOutcome =
  | { readonly reason: "submitted"; readonly summary: string }
  | { readonly reason: "limit" | "cancelled" | "failed"; readonly error: OctavoError };

/**
 * One turn of the model: it is asked, its calls are answered, until it ends in plain text or has to
 * stop. The transcript is the only state; each entry is kept before the next thing begins, so that the
 * same transcript goes on where it stopped. Throws only where the transcript or the machine fails.
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
    if (isOctavoError(error)) return { reason: "failed", error };
    throw error;
  }
}

/** How the turn ends; undefined while it goes on. */
function outcomeOf(run: AgentRun, step: NextStep): AgentOutcome | undefined {
  if (step.type === "submitted") return { reason: "submitted", summary: step.summary };
  if (step.type === "failed") return failed(step.message);
  const limit = step.type === "ask" ? reachedLimit(run) : undefined;
  return limit && { reason: "limit", error: limit };
}

async function take(run: AgentRun, step: NextStep): Promise<void> {
  if (step.type === "ask") await ask(run);
  if (step.type === "call") await answer(run, step.call);
  if (step.type === "remind") await remind(run, step.text);
}

async function ask(run: AgentRun): Promise<void> {
  const { model, system, tools, transcript, signal } = run;
  const messages = conversationOf(transcript.entries(), model.limits.contextTokens);
  try {
    await transcript.append(await askModel(model, { system, messages, tools, signal }));
  } catch (error) {
    await keepCost(run, error);
    throw error;
  }
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
  const tool = run.tools.find(({ name }) => name === toolName);
  const { output, status } = await callTool(run, tool, call);
  await run.transcript.append({
    type: "tool",
    at: now(),
    callId: toolCallId,
    tool: toolName,
    input,
    output,
    status,
    hasChanged: status === "done" && tool?.isChanging === true,
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
      "You have made this same call before and nothing has changed since; its answer is the same. Do something else, or end.";
    return Promise.resolve({ output: { error }, status: "refused" });
  }
  return tool.call(input, signal);
}

async function remind({ transcript }: AgentRun, text: string): Promise<void> {
  await transcript.append({
    type: "message",
    at: now(),
    from: "service",
    reason: "empty_answer",
    text,
  });
}

function reachedLimit({ limits, startedAt, transcript }: AgentRun): OctavoError | undefined {
  const { steps, inputTokens, outputTokens } = usageOf(currentTurn(transcript.entries()));
  const tokens = inputTokens + outputTokens;
  const elapsed = performance.now() - startedAt;
  if (steps >= limits.steps) return limited(`${limits.steps} answers of the model`);
  if (tokens >= limits.tokens) return limited(`${limits.tokens.toLocaleString("en")} tokens`);
  if (elapsed >= limits.timeMs) return limited(`${Math.round(limits.timeMs / 1_000)} seconds`);
  return undefined;
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
