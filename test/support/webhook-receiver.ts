import { createHmac, timingSafeEqual } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { patience } from "./patience.ts";

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** How a message is answered: a status with headers, or whatever a function does. */
export type ReceiverResponse =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | ((response: ServerResponse) => void);

/** A receiver of webhooks on a free port of 127.0.0.1. */
export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  /** As `OCTAVO_ALLOW` names it. */
  readonly place: string;
  readonly received: readonly ReceivedMessage[];
  /** The answers to the next messages, in order; the last one goes on. 204 before this is called. */
  answer(...answers: ReceiverResponse[]): void;
  /** Resolves when so many messages have come in all. */
  until(count: number): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedMessage[] = [];
  const arrivals = new EventEmitter();
  let answers: ReceiverResponse[] = [{ status: 204 }];
  const server = createServer((request, response) => {
    void text(request).then(
      (body) => {
        const { url: path = "", headers } = request;
        received.push({ path, headers, text: body, body: JSON.parse(body) });
        const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 204 };
        if (typeof answer === "function") answer(response);
        else response.writeHead(answer.status, answer.headers).end();
        return arrivals.emit("message");
      },
      // Whoever was ended in the middle of a message has sent none.
      () => false,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    place,
    url: `http://${place}/hooks`,
    received,
    answer: (...given) => void (answers = given),
    async until(count) {
      const signal = patience();
      while (received.length < count) await once(arrivals, "message", { signal });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * Whether a message was signed with `secret`, as the text of Standard Webhooks says it: the signature is
 * of the ID, the time and the body as they came.
 */
export function isSignedWith(secret: string, { headers, text }: ReceivedMessage): boolean {
  const [id, time] = [headers["webhook-id"], headers["webhook-timestamp"]];
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${String(id)}.${String(time)}.${text}`);
  const [version, signature = ""] = String(headers["webhook-signature"]).split(",");
  const given = Buffer.from(signature, "base64");
  const digest = expected.digest();
  return version === "v1" && given.length === digest.length && timingSafeEqual(given, digest);
}
