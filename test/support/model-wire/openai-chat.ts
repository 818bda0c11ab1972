import { fieldsOf, objectsIn, parsed, messageText } from "./conversation.ts";
import type { ConversationMessage } from "./conversation.ts";
import { eventFrame, pieces } from "./wire.ts";
import type { WholeAnswer, WholeToolCall, Wire } from "./wire.ts";

const finishReasons = {
  end: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
} as const;

/** OpenAI's chat completions, which most other servers speak too: `POST /v1/chat/completions`. */
export const openaiChatWire: Wire = {
  isStreamed: (_path, body) => body["stream"] === true,
  modelOf: (_path, body) => String(body["model"]),
  read({ messages, tools = [] }) {
    const all = objectsIn(messages, "messages");
    return {
      system: all
        .map(({ role, content }) => (role === "system" ? messageText(content) : ""))
        .join(""),
      messages: all.filter(({ role }) => role !== "system").flatMap(readMessage),
      tools: objectsIn(tools, "tools").map((tool) =>
        String(fieldsOf(tool["function"], "tool")["name"]),
      ),
    };
  },
  json(answer) {
    const calls = answer.toolCalls.map(toolCall);
    return {
      ...completion(answer, "chat.completion"),
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: answer.text === "" ? null : answer.text,
            refusal: null,
            ...(calls.length > 0 && { tool_calls: calls }),
          },
          logprobs: null,
          finish_reason: finishReasons[answer.stop],
        },
      ],
      usage: usage(answer),
    };
  },
  frames(answer) {
    const chunk = (delta: unknown, finish: string | null = null): string =>
      eventFrame({
        ...completion(answer, "chat.completion.chunk"),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        usage: null,
      });
    return {
      head: [chunk({ role: "assistant", content: "", refusal: null })],
      body: [
        ...pieces(answer.text).map((content) => chunk({ content })),
        ...answer.toolCalls.flatMap((call, index) => toolChunks(call, index, chunk)),
      ],
      tail: [
        chunk({}, finishReasons[answer.stop]),
        eventFrame({
          ...completion(answer, "chat.completion.chunk"),
          choices: [],
          usage: usage(answer),
        }),
        eventFrame("[DONE]"),
      ],
    };
  },
  error: (status, message) => ({
    error: { message, type: errorType(status), param: null, code: null },
  }),
  errorFrame: (message) =>
    eventFrame({ error: { message, type: "server_error", param: null, code: "server_error" } }),
};

function readMessage(message: Readonly<Record<string, unknown>>): ConversationMessage[] {
  const { role, content, tool_calls: calls = [] } = message;
  if (role === "user") return [{ from: "user", text: messageText(content) }];
  if (role === "tool") return [{ from: "tool", output: parsed(messageText(content), "content") }];
  const text = messageText(content);
  return [
    ...(text === "" ? [] : [{ from: "model", text } as const]),
    ...objectsIn(calls, "tool_calls").map((call) =>
      readCall(fieldsOf(call["function"], "tool_calls.function")),
    ),
  ];
}

/** Reads a call in both OpenAI formats: servers that insert arguments into a template accept only objects. */
export function readCall({
  name,
  arguments: text,
}: Readonly<Record<string, unknown>>): ConversationMessage {
  const input = fieldsOf(parsed(text, "arguments"), "arguments");
  return { from: "call", name: String(name), input };
}

/** Returns the error type in both OpenAI formats. */
export function errorType(status: number): string {
  if (status === 429) return "requests";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

function completion(answer: WholeAnswer, object: string) {
  return { id: `chatcmpl-${answer.number}`, object, created: 1_764_000_000, model: answer.model };
}

function usage({ usage: { inputTokens, outputTokens } }: WholeAnswer) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

function toolCall(call: WholeToolCall) {
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.arguments },
  };
}

function toolChunks(
  call: WholeToolCall,
  index: number,
  chunk: (delta: unknown) => string,
): string[] {
  const opening = { ...toolCall({ ...call, arguments: "" }), index };
  return [
    chunk({ tool_calls: [opening] }),
    ...pieces(call.arguments).map((piece) =>
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ];
}
