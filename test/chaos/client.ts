import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { patienceMs } from "../support/patience.ts";
import type { Random } from "../support/random.ts";
import type { SupervisedNode } from "./node-process.ts";
import { countRefusal } from "./record.ts";
import type { Acknowledged } from "./record.ts";

/** No call of the service takes so long, but a node that is stopped answers late. */
const callMs = 40_000;
const pauseMs = 300;
/** The share of responses that are lost on the way to a client, which then retries. */
const lostPart = 0.2;

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

export interface ChaosClient {
  /** One call at a node; undefined where no answer came. */
  ask(node: SupervisedNode, call: Call): Promise<Answer | undefined>;
  /** A call at any node, and again at any until it is answered below 500 and not with 409 for a call that runs. */
  askUntilAnswered(call: Call): Promise<Answer>;
  /** Any of the nodes of the API. */
  choose(): SupervisedNode;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** A zip file, which is sent instead of a body. */
  readonly archive?: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ClientOptions {
  readonly apis: readonly SupervisedNode[];
  readonly key: string;
  readonly random: Random;
  readonly record: Acknowledged;
}

export function createChaosClient({ apis, key, random, record }: ClientOptions): ChaosClient {
  const choose = (): SupervisedNode => {
    const node = apis[Math.floor(random() * apis.length)];
    if (!node) throw new Error("There is no node.");
    return node;
  };
  const ask: ChaosClient["ask"] = async (node, { method, path, body, archive, headers = {} }) => {
    try {
      const isForm = body instanceof URLSearchParams;
      const response = await fetch(new URL(path, node.url), {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(callMs),
        headers: {
          ...(!isForm && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && !isForm && { "content-type": "application/json" }),
          ...(archive && { "content-type": "application/zip" }),
          ...headers,
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
        ...(archive && { body: archive }),
      });
      const text = await response.text();
      checkAnswer(record, `${method} ${path}`, { response, text });
      return { status: response.status, text, location: response.headers.get("location") };
    } catch {
      countRefusal(record, "no answer");
      return undefined;
    }
  };
  return {
    ask,
    choose,
    async askUntilAnswered(call) {
      const headers = { ...call.headers, "idempotency-key": randomUUID() };
      const until = Date.now() + patienceMs;
      for (;;) {
        const answer = await ask(choose(), { ...call, headers });
        const isAnswer = answer && answer.status < 500 && answer.status !== 409;
        if (isAnswer && random() > lostPart) return answer;
        if (answer) countRefusal(record, isAnswer ? "answer lost" : String(answer.status));
        if (Date.now() > until) {
          throw new Error(`${call.method} ${call.path} got no other answer than ${answer?.text}`);
        }
        await wait(pauseMs);
      }
    },
  };
}

/** The only answer to what cannot be done now is 503 with the time after which to ask again. */
function checkAnswer(
  { wrong }: Acknowledged,
  call: string,
  { response, text }: { readonly response: Response; readonly text: string },
): void {
  const { status, headers } = response;
  if (status < 500 || (status === 503 && headers.has("retry-after"))) return;
  wrong.push(`${call} answered ${status}: ${text.slice(0, 300)}`);
}
