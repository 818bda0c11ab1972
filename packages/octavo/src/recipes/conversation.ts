import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { nearLimitOpening } from "../core/index.ts";
import type { AnsweredCall, ToolAnswer } from "./plan.ts";

/** What the messages say of the turn under way. */
export interface Conversation {
  /** The last user message. */
  readonly instruction: string;
  /** Calls made since, up to the first that has no answer yet. */
  readonly answered: readonly AnsweredCall[];
  /** Calls in the whole conversation, so that a new one gets an id of its own. */
  readonly callCount: number;
}

type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type CallPart = Extract<AssistantMessage["content"][number], { type: "tool-call" }>;
type ResultPart = Extract<AssistantMessage["content"][number], { type: "tool-result" }>;

/** Reads the messages; what the loop tells, and whatever a system message or an earlier turn says is no instruction. */
export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const at = prompt.findLastIndex(isInstruction);
  const turn = prompt.slice(at + 1);
  const answers = new Map(resultsOf(turn).map((part) => [part.toolCallId, answerOf(part)]));
  const answered: AnsweredCall[] = [];
  for (const part of callsOf(turn)) {
    const answer = answers.get(part.toolCallId);
    if (answer === undefined) break;
    answered.push({ tool: part.toolName, input: objectOf(part.input), answer });
  }
  return { instruction: textOf(prompt[at]), answered, callCount: callsOf(prompt).length };
}

/** Work goes on near a limit: all of it, or none, is what was asked for. */
function isInstruction(message: LanguageModelV4Message): boolean {
  return message.role === "user" && !textOf(message).startsWith(nearLimitOpening);
}

function textOf(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== "user") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function callsOf(messages: readonly LanguageModelV4Message[]): CallPart[] {
  return messages.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((part) => part.type === "tool-call") : [],
  );
}

function resultsOf(messages: readonly LanguageModelV4Message[]): ResultPart[] {
  return messages.flatMap((message) =>
    message.role === "tool" || message.role === "assistant"
      ? [...message.content].filter((part) => part.type === "tool-result")
      : [],
  );
}

function answerOf({ output }: ResultPart): ToolAnswer {
  switch (output.type) {
    case "content": {
      const texts = output.value.map((part) => (part.type === "text" ? part.text : ""));
      return objectOf(texts.join(""));
    }
    case "error-text":
    case "error-json":
      return { error: output.value };
    case "execution-denied":
      return { error: output.reason ?? "It was not allowed." };
    default:
      return objectOf(output.value);
  }
}

/** JSON or its text; anything else is told as an error, which every plan can take. */
function objectOf(value: unknown): ToolAnswer {
  const parsed = typeof value === "string" ? parseJson(value) : value;
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
    return parsed as ToolAnswer;
  }
  return { error: `It answered ${JSON.stringify(value)?.slice(0, 200)}.` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
