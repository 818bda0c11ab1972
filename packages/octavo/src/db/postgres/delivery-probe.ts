import { randomUUID } from "node:crypto";
import type { DatabaseLog } from "../database.ts";

const probeChannel = "octavo_probe";
/** A notification that arrives at all takes a few milliseconds. */
const probeMs = 3_000;
/** While none arrive, listeners are told of a gap at this interval, and read what changed. */
const gapMs = 2_000;

export interface DeliveryProbeOptions {
  readonly log: DatabaseLog;
  /** Sends a notification, on another connection than the one that is probed. */
  readonly send: (channel: string, payload: string) => Promise<void>;
  readonly onGap: () => void;
}

/**
 * Finds out whether notifications arrive on a connection. They do not behind a pooler that hands out a connection
 * for each transaction, as PgBouncer does in its mode of that name: LISTEN succeeds there and nothing follows.
 */
export class DeliveryProbe implements Disposable {
  readonly #options: DeliveryProbeOptions;
  readonly #token = randomUUID();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DeliveryProbeOptions) {
    this.#options = options;
  }

  /** `execute` runs a statement on the connection that is probed. */
  async start(execute: (statement: string) => Promise<unknown>): Promise<void> {
    this[Symbol.dispose]();
    this.#timer = setTimeout(() => this.#pollInstead(), probeMs).unref();
    await execute(`LISTEN ${probeChannel}`);
    await this.#options.send(probeChannel, this.#token);
  }

  /** Tells the probe of a notification. Returns whether it was its own. */
  accept(channel: string, payload: string | undefined): boolean {
    if (channel !== probeChannel) return false;
    if (payload === this.#token) this[Symbol.dispose]();
    return true;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #pollInstead(): void {
    this.#options.log.warn(
      { everySeconds: gapMs / 1000 },
      "PostgreSQL's notifications do not arrive, so changes are looked for from time to time. " +
        "If DATABASE_URL leads to a pooler, set DATABASE_DIRECT_URL to the server's own address",
    );
    this.#timer = setInterval(this.#options.onGap, gapMs).unref();
  }
}
