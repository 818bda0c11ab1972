import { objectsIn, parsed, messageText } from "./conversation.ts";
import type { ConversationMessage } from "./conversation.ts";
import { errorType, readCall } from "./openai-chat.ts";
import { eventFrame, pieces } from "./wire.ts";
import type { WholeAnswer, WholeToolCall, Wire } from "./wire.ts";

type Event = { readonly type: string; readonly [key: string]: unknown };

/** OpenAI's Responses: `POST /v1/responses`. */
export const openaiResponsesWire: Wire = {
  isStreamed: (_path, body) => body["stream"] === true,
  modelOf: (_path, body) => String(body["model"]),
  read({ input, tools = [] }) {
    const items = objectsIn(input, "input");
    const isSystem = ({ role }: (typeof items)[number]) =>
      role === "developer" || role === "system";
    return {
      system: items
        .filter(isSystem)
        .map(({ content }) => messageText(content))
        .join("\n"),
      messages: items.filter((item) => !isSystem(item)).map(readItem),
      tools: objectsIn(tools, "tools").map(({ name }) => String(name)),
    };
  },
  json: (answer) => finishedResponse(answer),
  frames(answer) {
    const items = outputOf(answer);
    const opening = { ...response(answer, "in_progress"), output: [], usage: null };
    const head: Event[] = [
      { type: "response.created", response: opening },
      { type: "response.in_progress", response: opening },
    ];
    const body = items.flatMap((item, index) => itemEvents(item, index));
    const type = answer.stop === "length" ? "response.incomplete" : "response.completed";
    const tail: Event[] = [{ type, response: finishedResponse(answer) }];
    const numbered = [...head, ...body, ...tail].map((event, at) =>
      eventFrame({ ...event, sequence_number: at }, event.type),
    );
    return {
      head: numbered.slice(0, head.length),
      body: numbered.slice(head.length, -1),
      tail: numbered.slice(-1),
    };
  },
  error: (status, message) => ({
    error: { message, type: errorType(status), param: null, code: null },
  }),
  errorFrame: (message) =>
    eventFrame(
      { type: "error", sequence_number: 2, code: "server_error", message, param: null },
      "error",
    ),
};

function readItem(item: Readonly<Record<string, unknown>>): ConversationMessage {
  const { type, role, content, output } = item;
  if (type === "function_call") return readCall(item);
  if (type === "function_call_output") return { from: "tool", output: parsed(output, "output") };
  return { from: role === "user" ? "user" : "model", text: messageText(content) };
}

type Item = ReturnType<typeof messageItem> | ReturnType<typeof callItem>;

function outputOf(answer: WholeAnswer): Item[] {
  const text = answer.text === "" ? [] : [messageItem(answer)];
  return [...text, ...answer.toolCalls.map(callItem)];
}

function messageItem(answer: WholeAnswer) {
  return {
    type: "message" as const,
    id: `msg_${answer.number}`,
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text: answer.text, annotations: [], logprobs: [] }],
  };
}

function callItem(call: WholeToolCall) {
  return {
    type: "function_call" as const,
    id: `fc_${call.id}`,
    status: "completed",
    call_id: call.id,
    name: call.name,
    arguments: call.arguments,
  };
}

function finishedResponse(answer: WholeAnswer) {
  const { inputTokens, outputTokens } = answer.usage;
  const isIncomplete = answer.stop === "length" || answer.stop === "content-filter";
  const reason = answer.stop === "length" ? "max_output_tokens" : "content_filter";
  return {
    ...response(answer, isIncomplete ? "incomplete" : "completed"),
    incomplete_details: isIncomplete ? { reason } : null,
    output: outputOf(answer),
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
  };
}

function response(answer: WholeAnswer, status: string) {
  return {
    id: `resp_${answer.number}`,
    object: "response",
    created_at: 1_764_000_000,
    status,
    error: null,
    incomplete_details: null,
    model: answer.model,
    store: false,
  };
}

function itemEvents(item: Item, index: number): Event[] {
  const at = { item_id: item.id, output_index: index };
  const done: Event = { type: "response.output_item.done", output_index: index, item };
  if (item.type === "function_call") {
    const opening = { ...item, status: "in_progress", arguments: "" };
    return [
      { type: "response.output_item.added", output_index: index, item: opening },
      ...pieces(item.arguments).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...at,
        delta,
      })),
      { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
      done,
    ];
  }
  const text = item.content[0]?.text ?? "";
  const opening = { ...item, status: "in_progress", content: [] };
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
  const inPart = { ...at, content_index: 0 };
  return [
    { type: "response.output_item.added", output_index: index, item: opening },
    { type: "response.content_part.added", ...inPart, part },
    ...pieces(text).map((delta) => ({
      type: "response.output_text.delta",
      ...inPart,
      delta,
      logprobs: [],
    })),
    { type: "response.output_text.done", ...inPart, text, logprobs: [] },
    { type: "response.content_part.done", ...inPart, part: { ...part, text } },
    done,
  ];
}
