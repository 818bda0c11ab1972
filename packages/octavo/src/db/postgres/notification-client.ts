import { Client } from "pg";
import type { ClientConfig } from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import { ChannelHub, quoteChannel } from "../channel-hub.ts";
import type { ChannelListener } from "../channel-hub.ts";
import type { DatabaseLog } from "../database.ts";
import { toDatabaseError } from "../faults.ts";
import { DeliveryProbe } from "./delivery-probe.ts";

/** A dead network gives no error: the connection is checked at this interval, and dropped after the timeout. */
const heartbeatMs = 10_000;
const heartbeatTimeoutMs = 5_000;
const maxBackoffMs = 5_000;

export interface NotificationOptions {
  readonly config: ClientConfig;
  readonly log: DatabaseLog;
  /** Sends a notification on another connection. */
  readonly send: (channel: string, payload: string) => Promise<void>;
}

/**
 * The connection that receives PostgreSQL's notifications. It opens with the first listener, reconnects when it
 * breaks, listens on every channel again and reports the gap to each listener. If notifications do not arrive on it,
 * it reports a gap every two seconds.
 */
export class NotificationClient implements AsyncDisposable {
  readonly #config: ClientConfig;
  readonly #log: DatabaseLog;
  readonly #hub: ChannelHub;
  readonly #probe: DeliveryProbe;
  readonly #closing = new AbortController();
  #client: Promise<Client> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #lastStatement: Promise<unknown> = Promise.resolve();

  constructor({ config, log, send }: NotificationOptions) {
    this.#config = config;
    this.#log = log;
    this.#probe = new DeliveryProbe({ log, send, onGap: () => this.#hub.reportGap() });
    this.#hub = new ChannelHub({
      listen: async (channel) => {
        await this.#execute(await this.#connected(), `LISTEN ${quoteChannel(channel)}`);
      },
      unlisten: async (channel) => {
        if (this.#closing.signal.aborted) return;
        // A connection that broke listens on nothing; the new one reads the hub's channels.
        const client = await this.#client?.catch(() => undefined);
        if (!client) return;
        await this.#execute(client, `UNLISTEN ${quoteChannel(channel)}`).catch(() => undefined);
      },
    });
  }

  /** Throws `unavailable` if the server does not answer. */
  async subscribe(channel: string, listener: ChannelListener): Promise<AsyncDisposable> {
    try {
      return await this.#hub.subscribe(channel, listener);
    } catch (error) {
      throw toDatabaseError(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#heartbeat);
    this.#probe[Symbol.dispose]();
    const client = await this.#client?.catch(() => undefined);
    client?.removeAllListeners("end");
    await client?.end();
  }

  /** One statement after the other: the driver is giving up its own queue. What waits for a broken connection fails. */
  #execute(client: Client, statement: string): Promise<unknown> {
    const result = this.#lastStatement.then(() => client.query(statement));
    this.#lastStatement = result.catch(() => undefined);
    return result;
  }

  #connected(): Promise<Client> {
    if (this.#client) return this.#client;
    const client = this.#connect();
    this.#client = client;
    client.catch(() => {
      if (this.#client === client) this.#client = undefined;
    });
    return client;
  }

  async #connect(): Promise<Client> {
    const client = new Client(this.#config);
    client.on("notification", ({ channel, payload }) => {
      if (!this.#probe.accept(channel, payload)) this.#hub.deliver(channel, payload ?? "");
    });
    // The "end" event that follows handles it; without a listener an "error" would end the process.
    client.on("error", (err) => this.#log.warn({ err }, "The notification connection broke."));
    await client.connect();
    client.on("end", () => this.#recover(client));
    clearInterval(this.#heartbeat);
    this.#heartbeat = setInterval(() => this.#check(client), heartbeatMs).unref();
    this.#probe
      .start((statement) => this.#execute(client, statement))
      .catch((err: unknown) =>
        this.#log.warn({ err }, "Whether notifications arrive could not be tried."),
      );
    return client;
  }

  #check(client: Client): void {
    const timer = setTimeout(() => dropConnection(client), heartbeatTimeoutMs).unref();
    this.#execute(client, "SELECT 1")
      .catch(() => dropConnection(client))
      .finally(() => clearTimeout(timer));
  }

  #recover(broken: Client): void {
    broken.removeAllListeners();
    // What it still reports is of no interest, and without a listener an "error" would end the process.
    broken.on("error", () => undefined);
    clearInterval(this.#heartbeat);
    this.#client = undefined;
    if (!this.#closing.signal.aborted) void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let backoffMs = 100; !this.#closing.signal.aborted; backoffMs *= 2) {
      try {
        const client = await this.#connected();
        for (const channel of this.#hub.channels) {
          await this.#execute(client, `LISTEN ${quoteChannel(channel)}`);
        }
        this.#hub.reportGap();
        return;
      } catch (err) {
        this.#log.warn({ err }, "The notification connection is not back yet.");
        const waitMs = Math.min(backoffMs, maxBackoffMs);
        await sleep(waitMs, undefined, { signal: this.#closing.signal, ref: false }).catch(
          () => undefined,
        );
      }
    }
  }
}

/** Closes the connection without waiting for the other side. */
function dropConnection(client: Client): void {
  (
    client as unknown as { connection: { stream: { destroy(): void } } }
  ).connection.stream.destroy();
}
