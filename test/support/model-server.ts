import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropicWire } from "./model-wire/anthropic.ts";
import { MalformedRequestError } from "./model-wire/conversation.ts";
import type { WireConversation } from "./model-wire/conversation.ts";
import { googleWire } from "./model-wire/google.ts";
import { openaiChatWire } from "./model-wire/openai-chat.ts";
import { openaiResponsesWire } from "./model-wire/openai-responses.ts";
import type {
  Frames,
  ScriptedAnswer,
  ScriptedToolCall,
  WholeAnswer,
  Wire,
} from "./model-wire/wire.ts";

export type { WireConversation } from "./model-wire/conversation.ts";
export type { ScriptedAnswer } from "./model-wire/wire.ts";

/** The server's reaction to one request. */
export type Turn = ScriptedAnswer | Refusal | Fault | SlowAnswer;

/** An answer with an HTTP status other than 200, in the provider's format. */
export interface Refusal {
  readonly status: number;
  readonly message?: string;
  /** Sent as they stand, e.g. `{ "retry-after": "1" }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Repeats the key that came with the request, as a careless server does. */
  readonly echoesKey?: boolean;
}

/**
 * - `cut`: the connection breaks half way through the answer
 * - `ended`: the answer ends half way, as if it were whole
 * - `silent`: the answer begins, and then nothing comes
 * - `mute`: not even a header comes
 * - `endless`: a model that never stops
 * - `error-event`: status 200, and the stream says that it failed
 * - `garbage`: status 200 and a page of HTML
 */
export interface Fault {
  readonly fault: "cut" | "ended" | "silent" | "mute" | "endless" | "error-event" | "garbage";
  /** The answer, as far as it is sent. */
  readonly answer?: ScriptedAnswer;
}

/** An answer of which `pings` never begins, and `bytes` sends one byte at each beat. */
export interface SlowAnswer {
  readonly slow: "pings" | "bytes";
  /** Waits until more is sent. */
  readonly beat: () => Promise<void>;
}

/** One turn for each request in order, or a function that chooses by the request. */
export type Script = readonly Turn[] | ((request: ModelRequest) => Turn);

export interface ModelRequest {
  /** 0 for the first. */
  readonly index: number;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it was sent. */
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The conversation in the request's body. */
  readonly conversation: WireConversation;
  /** When (`performance.now()`) its connection was closed before the answer was whole; may never be. */
  readonly abandoned: Promise<number>;
}

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; OpenAI and Anthropic lie under `/v1`, Gemini under `/v1beta`. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ModelRequest[];
}

const wires: readonly [RegExp, Wire][] = [
  [/^\/v1\/messages$/, anthropicWire],
  [/^\/v1\/chat\/completions$/, openaiChatWire],
  [/^\/v1\/responses$/, openaiResponsesWire],
  [/^\/v1beta\/models\/[^/:]+:(?:generateContent|streamGenerateContent\?alt=sse)$/, googleWire],
];

/**
 * A model that follows a script, spoken to in the wire formats of Anthropic (Messages), OpenAI (chat
 * completions and Responses) and Google (Gemini), whole and streamed. Listens on 127.0.0.1 only. A request
 * after the script's last turn is answered with 500, one outside these formats with 404.
 */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const server = createServer((incoming, response) => {
    void answerRequest(incoming, response).catch(() => response.destroy());
  });
  async function answerRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const wire = wires.find(([path]) => path.test(incoming.url ?? ""))?.[1];
    if (!wire) {
      response.writeHead(404).end();
      return;
    }
    const text = await readText(incoming);
    const body = JSON.parse(text) as ModelRequest["body"];
    const request = {
      ...headOf(incoming),
      index: requests.length,
      text,
      body,
      conversation: readConversation(wire, body),
      abandoned: abandonmentOf(response),
    };
    requests.push(request);
    const fault = request.conversation.malformed;
    const turn = fault === undefined ? turnFor(script, request) : { status: 400, message: fault };
    await playTurn(turn, { request, response, wire });
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Arguments of a tool call that are no JSON. */
export function brokenJson(text: string): unknown {
  return new BrokenJson(text);
}

class BrokenJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

interface Exchange {
  readonly request: ModelRequest;
  readonly response: ServerResponse;
  readonly wire: Wire;
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function headOf({ method = "", url = "", headers }: IncomingMessage) {
  return { method, path: url, headers };
}

/** Providers refuse what they cannot have said themselves. */
function readConversation(
  wire: Wire,
  body: ModelRequest["body"],
): WireConversation & { readonly malformed?: string } {
  try {
    return wire.read(body);
  } catch (error) {
    if (!(error instanceof MalformedRequestError)) throw error;
    return { system: "", messages: [], tools: [], malformed: error.message };
  }
}

function abandonmentOf(response: ServerResponse): Promise<number> {
  return new Promise((resolve) => {
    response.once("close", () => {
      if (!response.writableFinished) resolve(performance.now());
    });
  });
}

function turnFor(script: Script, request: ModelRequest): Turn {
  if (typeof script === "function") return script(request);
  return script[request.index] ?? { status: 500, message: "The script has no more turns." };
}

async function playTurn(turn: Turn, exchange: Exchange): Promise<void> {
  if ("status" in turn) refuse(turn, exchange);
  else if ("fault" in turn) await fail(turn, exchange);
  else if ("slow" in turn) await sendSlowly(turn, exchange);
  else sendAnswer(wholeAnswer(turn, exchange), exchange);
}

function refuse(refusal: Refusal, { request, response, wire }: Exchange): void {
  const { authorization, "x-api-key": anthropicKey, "x-goog-api-key": googleKey } = request.headers;
  const key = String(anthropicKey ?? googleKey ?? authorization);
  const message = refusal.message ?? `Refused by the script with ${refusal.status}.`;
  const text = refusal.echoesKey ? `${message} The key was ${key}.` : message;
  response.writeHead(refusal.status, {
    "content-type": "application/json",
    "request-id": "req_scripted",
    ...(refusal.echoesKey && { "x-key": key }),
    ...refusal.headers,
  });
  response.end(JSON.stringify(wire.error(refusal.status, text)));
}

function sendAnswer(answer: WholeAnswer, { request, response, wire }: Exchange): void {
  if (!wire.isStreamed(request.path, request.body)) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(wire.json(answer)));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of allFrames(wire.frames(answer))) response.write(part);
  response.end();
}

async function fail({ fault, answer }: Fault, exchange: Exchange): Promise<void> {
  const { request, response, wire } = exchange;
  if (fault === "mute") return;
  if (fault === "garbage") {
    response.writeHead(200, { "content-type": "text/html" });
    response.end("<!doctype html><title>Sign in</title>");
    return;
  }
  const whole = wholeAnswer(answer ?? { text: "This answer does not arrive whole." }, exchange);
  const isStreamed = wire.isStreamed(request.path, request.body);
  const { head, middle, last } = isStreamed ? streamedParts(wire, whole) : wholeParts(wire, whole);
  response.writeHead(200, {
    "content-type": isStreamed ? "text/event-stream" : "application/json",
  });
  response.write(head);
  if (fault === "silent") return;
  if (fault === "endless") {
    response.write(middle);
    await writeForever(response, last.repeat(100));
    return;
  }
  if (fault === "error-event") {
    response.end(isStreamed ? wire.errorFrame("The model is overloaded.") : "");
    return;
  }
  response.write(middle, () => {
    if (fault === "cut") response.destroy();
    else response.end();
  });
}

interface HalfAnswer {
  readonly head: string;
  readonly middle: string;
  /** The end of `middle`, which may follow any number of times. */
  readonly last: string;
}

/** Returns the parts before the text, and the first half of the text. */
function streamedParts(wire: Wire, answer: WholeAnswer): HalfAnswer {
  const { head, body } = wire.frames(answer);
  const half = body.slice(0, Math.ceil(body.length / 2));
  return { head: head.join(""), middle: half.join(""), last: half.at(-1) ?? "" };
}

function wholeParts(wire: Wire, answer: WholeAnswer): HalfAnswer {
  const text = JSON.stringify(wire.json(answer));
  return { head: text.slice(0, 1), middle: text.slice(1, text.length / 2), last: "x" };
}

async function sendSlowly({ slow, beat }: SlowAnswer, exchange: Exchange): Promise<void> {
  const { request, response, wire } = exchange;
  const isStreamed = wire.isStreamed(request.path, request.body);
  response.writeHead(200, {
    "content-type": isStreamed ? "text/event-stream" : "application/json",
  });
  response.flushHeaders();
  const { head, middle } = isStreamed
    ? streamedParts(wire, wholeAnswer({ text: "Slow. ".repeat(100) }, exchange))
    : { head: "", middle: " ".repeat(1_000) };
  const event = wire === anthropicWire ? 'event: ping\ndata: {"type": "ping"}\n\n' : ": ping\n\n";
  const ping = isStreamed ? event : " ";
  for (let sent = 0; !response.destroyed; sent++) {
    response.write(slow === "pings" ? ping : `${head}${middle}`.charAt(sent));
    await beat();
  }
}

/** As fast as the reader takes it, until the reader goes. */
async function writeForever(response: ServerResponse, text: string): Promise<void> {
  const closed = once(response, "close");
  while (!response.destroyed) {
    if (!response.write(text)) await Promise.race([once(response, "drain"), closed]);
  }
}

function allFrames({ head, body, tail }: Frames): string[] {
  return [...head, ...body, ...tail];
}

function wholeAnswer(answer: ScriptedAnswer, { request, wire }: Exchange): WholeAnswer {
  const toolCalls = (answer.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `call_${request.index}_${index}`,
    name: call.name,
    arguments: argumentsText(call),
  }));
  return {
    number: request.index,
    model: wire.modelOf(request.path, request.body),
    text: answer.text ?? "",
    toolCalls,
    usage: answer.usage ?? { inputTokens: 100, outputTokens: 20 },
    stop: answer.stop ?? (toolCalls.length > 0 ? "tool-calls" : "end"),
  };
}

function argumentsText({ input }: ScriptedToolCall): string {
  return input instanceof BrokenJson ? input.text : JSON.stringify(input);
}
