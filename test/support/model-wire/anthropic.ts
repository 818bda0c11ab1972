import { fieldsOf, objectsIn, parsed, messageText } from "./conversation.ts";
import type { ConversationMessage } from "./conversation.ts";
import { eventFrame, parsedArguments, pieces } from "./wire.ts";
import type { WholeAnswer, WholeToolCall, Wire } from "./wire.ts";

const stopReasons = {
  end: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  "content-filter": "refusal",
} as const;

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Anthropic's Messages: `POST /v1/messages`. */
export const anthropicWire: Wire = {
  isStreamed: (_path, body) => body["stream"] === true,
  modelOf: (_path, body) => String(body["model"]),
  read: ({ system, messages, tools = [] }) => ({
    system: messageText(system),
    messages: objectsIn(messages, "messages").flatMap(({ role, content }) =>
      typeof content === "string"
        ? [{ from: role === "user" ? "user" : "model", text: content } as const]
        : objectsIn(content, "content").map((block) => readBlock(role, block)),
    ),
    tools: objectsIn(tools, "tools").map(({ name }) => String(name)),
  }),
  json(answer) {
    const text = answer.text === "" ? [] : [{ type: "text", text: answer.text }];
    return {
      ...message(answer),
      content: [
        ...text,
        ...answer.toolCalls.map((call) => ({
          type: "tool_use",
          id: call.id,
          name: call.name,
          input: parsedArguments(call),
        })),
      ],
      stop_reason: stopReasons[answer.stop],
      usage: usage(answer, answer.usage.outputTokens),
    };
  },
  frames(answer) {
    const start = { ...message(answer), content: [], stop_reason: null, usage: usage(answer, 1) };
    const textCount = answer.text === "" ? 0 : 1;
    return {
      head: [event({ type: "message_start", message: start }), event({ type: "ping" })],
      body: [
        ...(textCount === 0 ? [] : textBlock(answer.text)),
        ...answer.toolCalls.flatMap((call, index) => toolBlock(call, index + textCount)),
      ],
      tail: [
        event({
          type: "message_delta",
          delta: { stop_reason: stopReasons[answer.stop], stop_sequence: null },
          usage: { output_tokens: answer.usage.outputTokens },
        }),
        event({ type: "message_stop" }),
      ],
    };
  },
  error: (status, text) => ({
    type: "error",
    error: { type: errorTypes[status] ?? "api_error", message: text },
    request_id: "req_scripted",
  }),
  errorFrame: (text) =>
    event({ type: "error", error: { type: "overloaded_error", message: text } }),
};

function readBlock(role: unknown, block: Readonly<Record<string, unknown>>): ConversationMessage {
  const { type, text, name, input, content } = block;
  if (type === "tool_use") {
    return { from: "call", name: String(name), input: fieldsOf(input, "tool_use.input") };
  }
  if (type === "tool_result") {
    return { from: "tool", output: parsed(messageText(content), "tool_result") };
  }
  return { from: role === "user" ? "user" : "model", text: String(text) };
}

function event(data: { readonly type: string; readonly [key: string]: unknown }): string {
  return eventFrame(data, data.type);
}

function message(answer: WholeAnswer) {
  return {
    id: `msg_${answer.number}`,
    type: "message",
    role: "assistant",
    model: answer.model,
    stop_sequence: null,
  };
}

function usage(answer: WholeAnswer, outputTokens: number) {
  return {
    input_tokens: answer.usage.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  };
}

function textBlock(text: string): string[] {
  return [
    event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    ...pieces(text).map((piece) =>
      event({
        type: "content_block_delta",
        index: 0,
        delta: { type: "text_delta", text: piece },
      }),
    ),
    event({ type: "content_block_stop", index: 0 }),
  ];
}

function toolBlock(call: WholeToolCall, index: number): string[] {
  return [
    event({
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id: call.id, name: call.name, input: {} },
    }),
    ...pieces(call.arguments).map((piece) =>
      event({
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json: piece },
      }),
    ),
    event({ type: "content_block_stop", index }),
  ];
}
