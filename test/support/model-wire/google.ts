import { fieldsOf, objectsIn, messageText } from "./conversation.ts";
import type { ConversationMessage } from "./conversation.ts";
import { eventFrame, parsedArguments, pieces } from "./wire.ts";
import type { WholeAnswer, Wire } from "./wire.ts";

const finishReasons = {
  end: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  "content-filter": "SAFETY",
} as const;

const statusNames: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

/** Gemini: `POST /v1beta/models/<model>:generateContent` and `:streamGenerateContent?alt=sse`. */
export const googleWire: Wire = {
  isStreamed: (path) => path.includes(":streamGenerateContent"),
  modelOf: (path) => /\/models\/([^/:]+):/.exec(path)?.[1] ?? "",
  read: ({ systemInstruction = {}, contents, tools = [] }) => ({
    system: messageText(fieldsOf(systemInstruction, "systemInstruction")["parts"]),
    messages: objectsIn(contents, "contents").flatMap(({ role, parts }) =>
      objectsIn(parts, "parts").map((part) => readPart(role, part)),
    ),
    tools: objectsIn(tools, "tools").flatMap(({ functionDeclarations }) =>
      objectsIn(functionDeclarations, "functionDeclarations").map(({ name }) => String(name)),
    ),
  }),
  json: (answer) =>
    chunk(answer, [...textParts(answer), ...callParts(answer)], finishReasons[answer.stop]),
  frames: (answer) => ({
    head: [eventFrame(chunk(answer, [{ text: "" }]))],
    body: [
      ...pieces(answer.text).map((text) => eventFrame(chunk(answer, [{ text }]))),
      ...callParts(answer).map((part) => eventFrame(chunk(answer, [part]))),
    ],
    tail: [eventFrame(chunk(answer, [{ text: "" }], finishReasons[answer.stop]))],
  }),
  error: (status, message) => ({
    error: { code: status, message, status: statusNames[status] ?? "INTERNAL" },
  }),
  errorFrame: (message) => eventFrame({ error: { code: 503, message, status: "UNAVAILABLE" } }),
};

function readPart(role: unknown, part: Readonly<Record<string, unknown>>): ConversationMessage {
  const { text, functionCall, functionResponse } = part;
  if (functionCall !== undefined) {
    const { name, args } = fieldsOf(functionCall, "functionCall");
    return { from: "call", name: String(name), input: fieldsOf(args, "functionCall.args") };
  }
  if (functionResponse !== undefined) {
    const { response } = fieldsOf(functionResponse, "functionResponse");
    return { from: "tool", output: fieldsOf(response, "functionResponse.response")["content"] };
  }
  return { from: role === "user" ? "user" : "model", text: String(text) };
}

function textParts(answer: WholeAnswer): unknown[] {
  return answer.text === "" ? [] : [{ text: answer.text }];
}

function callParts(answer: WholeAnswer): unknown[] {
  return answer.toolCalls.map((call) => ({
    functionCall: { id: call.id, name: call.name, args: parsedArguments(call) },
  }));
}

function chunk(answer: WholeAnswer, parts: readonly unknown[], finishReason?: string) {
  const { inputTokens, outputTokens } = answer.usage;
  return {
    candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
    modelVersion: answer.model,
    responseId: `response-${answer.number}`,
  };
}
