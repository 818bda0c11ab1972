import { setTimeout as sleep } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { Client } from "pg";
import type { ClientConfig } from "pg";
import { ChannelHub, quoteChannel } from "../channel-hub.ts";
import type { ChannelListener } from "../channel-hub.ts";
import type { DatabaseLog } from "../database.ts";
import { toDatabaseError } from "../faults.ts";

/**
 * The interval at which the connection is checked, because a dead network reports no error. A connection that does not
 * respond within the timeout is dropped.
 */
const heartbeatIntervalMs = 10_000;
const heartbeatTimeoutMs = 5_000;
const maxBackoffMs = 5_000;

interface NotificationOptions {
  readonly config: ClientConfig;
  readonly log: DatabaseLog;
  /** Sends a notification on a different connection. */
  readonly send: (channel: string, payload: string) => Promise<void>;
}

const probeChannel = "octavo_probe";
/**
 * The time that the probe waits for a notification. Notifications that are delivered at all arrive within a few
 * milliseconds.
 */
const probeTimeoutMs = 3_000;
/**
 * The interval at which a gap is reported to listeners while notifications do not arrive, so that they read the current
 * state.
 */
const gapReportIntervalMs = 2_000;

interface DeliveryProbeOptions {
  readonly log: DatabaseLog;
  /** Sends a notification on a connection other than the probed connection. */
  readonly send: (channel: string, payload: string) => Promise<void>;
  readonly onGap: () => void;
}

/**
 * The client that receives PostgreSQL's notifications on its own connection. It connects when the first listener is
 * added. After the connection breaks, the client reconnects, listens on every channel again and reports the gap to each
 * listener. If notifications do not arrive on the connection, the client reports a gap every two seconds.
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
        await this.#execute(await this.#ensureConnected(), `LISTEN ${quoteChannel(channel)}`);
      },
      unlisten: async (channel) => {
        if (this.#closing.signal.aborted) return;
        // A broken connection needs no UNLISTEN, because the new connection listens only on the hub's channels.
        const client = await this.#client?.catch(() => undefined);
        if (!client) return;
        await this.#execute(client, `UNLISTEN ${quoteChannel(channel)}`).catch(() => undefined);
      },
    });
  }

  /** Throws `unavailable` if the server does not respond. */
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

  /**
   * Runs statements one after another, because the next major version of the driver does not queue them. Statements
   * that wait for a broken connection fail.
   */
  #execute(client: Client, statement: string): Promise<unknown> {
    const result = this.#lastStatement.then(() => client.query(statement));
    this.#lastStatement = result.catch(() => undefined);
    return result;
  }

  #ensureConnected(): Promise<Client> {
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
    // The "end" event that follows handles the failure. Without a listener, an "error" event would end the process.
    client.on("error", (err) => this.#log.warn({ err }, "The notification connection broke."));
    await client.connect();
    client.on("end", () => this.#recover(client));
    clearInterval(this.#heartbeat);
    this.#heartbeat = setInterval(() => this.#checkHeartbeat(client), heartbeatIntervalMs).unref();
    this.#probe
      .start((statement) => this.#execute(client, statement))
      .catch((err: unknown) =>
        this.#log.warn({ err }, "The test of whether notifications arrive has failed."),
      );
    return client;
  }

  #checkHeartbeat(client: Client): void {
    const timer = setTimeout(() => dropConnection(client), heartbeatTimeoutMs).unref();
    this.#execute(client, "SELECT 1")
      .catch(() => dropConnection(client))
      .finally(() => clearTimeout(timer));
  }

  #recover(broken: Client): void {
    broken.removeAllListeners();
    // Further errors of this connection do not matter, but without a listener, an "error" event would end the process.
    broken.on("error", () => undefined);
    clearInterval(this.#heartbeat);
    this.#client = undefined;
    if (!this.#closing.signal.aborted) void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let backoffMs = 100; !this.#closing.signal.aborted; backoffMs *= 2) {
      try {
        const client = await this.#ensureConnected();
        for (const channel of this.#hub.channels) {
          await this.#execute(client, `LISTEN ${quoteChannel(channel)}`);
        }
        this.#hub.reportGap();
        return;
      } catch (err) {
        this.#log.warn({ err }, "The notification connection could not be restored yet.");
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

/**
 * Detects whether notifications arrive on a connection. They do not arrive behind a pooler that uses a different
 * connection for each transaction, such as PgBouncer in its mode "transaction". Behind such a pooler, LISTEN succeeds,
 * but no notifications follow.
 */
class DeliveryProbe implements Disposable {
  readonly #options: DeliveryProbeOptions;
  readonly #token = randomUUID();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: DeliveryProbeOptions) {
    this.#options = options;
  }

  /** Starts the probe. `execute` runs a statement on the probed connection. */
  async start(execute: (statement: string) => Promise<unknown>): Promise<void> {
    this[Symbol.dispose]();
    this.#timer = setTimeout(() => this.#pollInstead(), probeTimeoutMs).unref();
    await execute(`LISTEN ${probeChannel}`);
    await this.#options.send(probeChannel, this.#token);
  }

  /** Passes a notification to the probe and reports whether it was the probe's own. */
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
      { everySeconds: gapReportIntervalMs / 1000 },
      "PostgreSQL's notifications do not arrive, so the service polls for changes. If DATABASE_URL leads to a " +
        "pooler, set DATABASE_DIRECT_URL to the server's own address",
    );
    this.#timer = setInterval(this.#options.onGap, gapReportIntervalMs).unref();
  }
}
