import type { WireConversation } from "./conversation.ts";

/** One answer of a scripted model, in no provider's format. */
export interface ScriptedAnswer {
  readonly text?: string;
  /** Several are sent side by side in one answer. */
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Tokens; 100 in and 20 out when absent. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  /** Why the model stopped, when it is neither the end of its text nor a tool call. */
  readonly stop?: "length" | "content-filter";
}

export interface ScriptedToolCall {
  readonly name: string;
  /** Any JSON, right or wrong; a string from `brokenJson` is sent as it stands. */
  readonly input: unknown;
  /** `call_<number>` when absent. */
  readonly id?: string;
}

/** An answer with nothing left out. */
export interface WholeAnswer {
  readonly number: number;
  readonly model: string;
  readonly text: string;
  readonly toolCalls: readonly WholeToolCall[];
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
  readonly stop: "end" | "tool-calls" | "length" | "content-filter";
}

export interface WholeToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, or what a confused model takes for it. */
  readonly arguments: string;
}

/** A streamed answer as frames of server-sent events, in three parts so that a server can fail between them. */
export interface Frames {
  readonly head: readonly string[];
  readonly body: readonly string[];
  readonly tail: readonly string[];
}

/** How one provider writes. The formats are those of the providers' own documentation. */
export interface Wire {
  isStreamed(path: string, body: Readonly<Record<string, unknown>>): boolean;
  modelOf(path: string, body: Readonly<Record<string, unknown>>): string;
  /** Throws `MalformedRequestError` where the provider would refuse what was said before. */
  read(body: Readonly<Record<string, unknown>>): WireConversation;
  json(answer: WholeAnswer): unknown;
  frames(answer: WholeAnswer): Frames;
  error(status: number, message: string): unknown;
  /** An error in the middle of a stream that began with status 200. */
  errorFrame(message: string): string;
}

export function eventFrame(data: unknown, event?: string): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return event === undefined ? `data: ${text}\n\n` : `event: ${event}\ndata: ${text}\n\n`;
}

/** Pieces as a model sends them; at most `most`, so that a huge text stays a few huge pieces. */
export function pieces(text: string, most = 40): string[] {
  const size = Math.max(5, Math.ceil(text.length / most));
  const result: string[] = [];
  for (let at = 0; at < text.length; at += size) result.push(text.slice(at, at + size));
  return result;
}

/** Arguments as an object where they are one, for formats that send no text; else the text itself. */
export function parsedArguments(call: WholeToolCall): unknown {
  try {
    return JSON.parse(call.arguments);
  } catch {
    return call.arguments;
  }
}
