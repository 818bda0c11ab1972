import type { TranscriptEntry } from "../../agent/index.ts";

/** One entry of a job's transcript as clients see it; `seq` goes up, with gaps. */
export type AgentStep = MessageStep | ModelStep | ToolStep | NoteStep;

interface Step {
  readonly seq: number;
  readonly at: string;
}

interface MessageStep extends Step {
  readonly type: "message";
  readonly from: "person" | "service";
  readonly text: string;
  readonly reason?: string;
  /** Of a person's message: the turn that it begins. */
  readonly turn?: number;
}

interface ModelStep extends Step {
  readonly type: "model";
  readonly model: string;
  readonly text: string;
  readonly calls: readonly { readonly tool: string; readonly input: unknown }[];
  readonly finishReason: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

interface ToolStep extends Step {
  readonly type: "tool";
  readonly tool: string;
  /** What the model wrote, whatever it is. */
  readonly input: unknown;
  readonly output: unknown;
  readonly status: "done" | "refused" | "faulty";
}

interface NoteStep extends Step {
  readonly type: "check" | "commit" | "pull_request" | "dropped";
  readonly text: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A tool's input and output are shown up to this many characters of JSON: a client follows, it does not need whole pages. */
const shownLength = 4_000;

/** What the models' providers need of an entry, and nobody else, is left out. */
export function stepOf(seq: number, entry: TranscriptEntry): AgentStep {
  const { type, at } = entry;
  if (type === "message") {
    const { from, text, reason, id } = entry;
    const turn = id === undefined ? {} : { turn: Number(id) };
    return { seq, at, type, from, text, ...(reason && { reason }), ...turn };
  }
  if (type === "model") {
    const { model, content, finishReason, usage } = entry;
    const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const calls = content.flatMap((part) =>
      part.type === "tool-call" ? [{ tool: part.toolName, input: shown(part.input) }] : [],
    );
    return { seq, at, type, model, text: texts.join("").trim(), calls, finishReason, usage };
  }
  if (type === "tool") {
    const { tool, input, output, status } = entry;
    return { seq, at, type, tool, input: shown(input), output: shown(output), status };
  }
  return { seq, at, type, text: entry.text, ...(entry.details && { details: entry.details }) };
}

function shown(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  if (text.length <= shownLength) return value;
  return { truncated: text.slice(0, shownLength).toWellFormed(), characters: text.length };
}
