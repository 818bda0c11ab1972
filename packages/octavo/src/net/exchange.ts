import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { OctavoError } from "@octavo/site/core";
import { destinationOf } from "../core/index.ts";
import type { AllowList } from "../core/index.ts";
import { checkDestination, createGuardedLookup } from "./destination.ts";
import type { ResolveHostName } from "./destination.ts";

// An import reads all properties of `node:http`, of which `WebSocket` loads undici, Node's `fetch`: 35 ms of CPU for
// each process that is started.
const { Agent: HttpAgent, request: requestHttp } = process.getBuiltinModule("node:http");

interface ExchangeOptions {
  readonly allow: AllowList;
  readonly resolve: ResolveHostName;
  readonly connectTimeoutMs: number;
  /** From the open connection to the head of the response. */
  readonly answerTimeoutMs: number;
}

export interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

interface ExchangeControl {
  /** Ends the exchange, its body included. */
  readonly signal: AbortSignal;
  /** Times it; stopped when the head is here. */
  readonly timer: PhaseTimer;
  /** For messages. */
  readonly label: string;
}

/** One request, and the head of its response. */
type Exchange = (
  url: URL,
  outgoing: Outgoing,
  control: ExchangeControl,
) => Promise<IncomingMessage>;

/** Sockets to one host at once, and how long one is kept that nobody uses. */
const agentOptions = { keepAlive: true, maxSockets: 32, timeout: 60_000 };

/**
 * Makes the function through which everything goes out. Its connections are its own: none is used that others opened unchecked, and
 * one that is kept open leads where it led when it was checked.
 */
export function createExchange(options: ExchangeOptions): Exchange {
  const agents = { http: new HttpAgent(agentOptions), https: new HttpsAgent(agentOptions) };

  function open(url: URL, outgoing: Outgoing, signal: AbortSignal): ClientRequest {
    const place = destinationOf(url);
    if (!place || place.protocol === "ssh" || url.username !== "" || url.password !== "") {
      throw new OctavoError(
        "invalid_input",
        "Only http and https addresses without a user name or password can be asked.",
      );
    }
    checkDestination(place, options.allow);
    const requestOptions: RequestOptions = {
      method: outgoing.method,
      headers: outgoing.headers,
      lookup: createGuardedLookup(place, options.allow, options.resolve),
      agent: agents[place.protocol],
      signal,
    };
    return (place.protocol === "http" ? requestHttp : requestHttps)(url, requestOptions);
  }

  return async (url, outgoing, { signal, timer, label }) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    signal.throwIfAborted();
    const request = open(url, outgoing, AbortSignal.any([signal, timer.signal]));
    const waitForAnswer = (): void =>
      timer.start(options.answerTimeoutMs, (time) => `${label} sent nothing for ${time}.`);
    request.once("socket", (socket) => {
      if (!socket.connecting) {
        waitForAnswer();
        return;
      }
      timer.start(
        options.connectTimeoutMs,
        (time) => `${label} was not connected to within ${time}.`,
      );
      socket.once(url.protocol === "https:" ? "secureConnect" : "connect", waitForAnswer);
    });
    request.once("response", resolve);
    // Not once: the end of a body can be an error of the request too.
    request.on("error", reject);
    request.end(outgoing.body);
    try {
      return await promise;
    } finally {
      timer.stop();
    }
  };
}

/**
 * What a request waits for, one thing after the other, none for longer than it may: to be connected, for the
 * head of the response, for each next part of it.
 */
export class PhaseTimer {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** Aborted with `unavailable` when something took too long. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the phase before. */
  start(limitMs: number, describe: (time: string) => string): void {
    this.stop();
    this.#timer = setTimeout(() => {
      const seconds = Math.max(1, Math.round(limitMs / 1000));
      const time = seconds === 1 ? "1 second" : `${seconds} seconds`;
      this.#controller.abort(new OctavoError("unavailable", describe(time)));
    }, limitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
