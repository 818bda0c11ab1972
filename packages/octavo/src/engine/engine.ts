import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { findCompileCacheFolder, OctavoError, resolveSiblingModule } from "@octavo/site/core";
import type {
  EngineFailure,
  EngineMessage,
  EngineRequest,
  EngineResult,
  EngineTask,
} from "./protocol.ts";

/** An error that PostgreSQL itself reported. `code` is its SQLSTATE, as in errors of `pg`. */
export class EngineError extends Error {
  override readonly name = "EngineError" as const;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly constraint: string | undefined;
  readonly table: string | undefined;

  constructor(failure: EngineFailure) {
    super(failure.message);
    this.code = failure.code;
    this.detail = failure.detail;
    this.constraint = failure.constraint;
    this.table = failure.table;
  }
}

/** A transaction. No other statement reaches the database until the transaction has ended. */
export interface EngineSession {
  query(sql: string, parameters: readonly unknown[]): Promise<EngineResult>;
  /** Allows the next statement or transaction to start. Call it after COMMIT or ROLLBACK. */
  end(): void;
}

/**
 * The service's side of the embedded database, which has a single connection. Statements outside a transaction are
 * pipelined in order. A transaction has exclusive use of the connection from `begin` to `end`. A transaction that
 * awaits anything but its own statements blocks every reader. A transaction that is idle for `idleTransactionMs` is
 * rolled back.
 */
export interface Engine {
  query(sql: string, parameters: readonly unknown[]): Promise<EngineResult>;
  /** Runs several statements without parameters. The result contains their concatenated rows. */
  script(sql: string): Promise<EngineResult>;
  begin(statement: string): Promise<EngineSession>;
  close(): Promise<void>;
}

interface QueuedStart {
  readonly isTransaction: boolean;
  start(): void;
}

interface Pending {
  resolve(result: EngineResult): void;
  reject(error: Error): void;
}

/**
 * A thread that loads PostgreSQL while it waits for its database's folder. Disposing of it ends the thread immediately
 * if it is still running, so the engine that uses it must be closed first.
 */
export interface EngineThread extends AsyncDisposable {
  readonly worker: Worker;
  /** The thread's response to its first request, or the code with which it exited. Rejects if the thread fails. */
  readonly opened: Promise<EngineMessage | number>;
}

interface EngineOptions {
  readonly folder: string;
  /** A started thread that no engine has used. By default, one is started. */
  readonly thread?: EngineThread | undefined;
  onNotification(channel: string, payload: string): void;
  /** Called when the thread has ended without being closed. All further statements fail. */
  onCrash(error: Error): void;
  /** Defaults to 15 seconds. */
  readonly idleTransactionMs?: number;
}

/** Starts a thread for `openEngine`. It keeps this process alive until it ends. */
export function startEngineThread(): EngineThread {
  const cacheFolder = findCompileCacheFolder();
  const worker = new Worker(resolveSiblingModule(import.meta.url, "engine-thread"), {
    // PGlite uses WebAssembly's own memory, so the thread needs no memory flags. From the environment, it needs only
    // the folder of the compile cache, without which compiling its modules takes 0.2 s.
    env: cacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: cacheFolder },
    execArgv: [],
  });
  const opened = Promise.race([once(worker, "message"), once(worker, "exit")]).then(
    ([message]) => message as EngineMessage | number,
  );
  // The failure of an unused thread does not matter.
  opened.catch(() => undefined);
  return {
    worker,
    opened,
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

/** Opens the database in `folder`, or creates it. Only this process may use the folder. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { worker, opened } = options.thread ?? startEngineThread();
  const request: EngineRequest = { kind: "open", folder: options.folder };
  worker.postMessage(request, []);
  const message = await opened;
  if (typeof message === "number")
    throw new Error(`The database thread exited with code ${message}.`);
  if (message.kind === "failed") {
    await worker.terminate();
    throw new EngineError(message.failure);
  }
  return new ThreadEngine(worker, options);
}

class ThreadEngine implements Engine {
  readonly #worker: Worker;
  readonly #options: EngineOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #waiting: QueuedStart[] = [];
  #inTransaction = false;
  #lastId = 0;
  #closed: OctavoError | undefined;

  constructor(worker: Worker, options: EngineOptions) {
    this.#worker = worker;
    this.#options = options;
    worker.on("message", (message: EngineMessage) => this.#receive(message));
    worker.on("error", (error) => this.#crash(error));
    worker.on("exit", () => this.#crash(new Error("The thread ended.")));
  }

  query(sql: string, parameters: readonly unknown[]): Promise<EngineResult> {
    return this.#inTurn(() => this.#post({ kind: "query", sql, parameters: [...parameters] }));
  }

  script(sql: string): Promise<EngineResult> {
    return this.#inTurn(() => this.#post({ kind: "script", sql }));
  }

  async begin(statement: string): Promise<EngineSession> {
    await new Promise<void>((resolve) => this.#enqueue({ isTransaction: true, start: resolve }));
    const session = new Session(
      (sql, parameters) => this.#post({ kind: "query", sql, parameters: [...parameters] }),
      () => this.#leave(),
      this.#options.idleTransactionMs ?? 15_000,
    );
    try {
      await session.query(statement, []);
    } catch (error) {
      session.end();
      throw error;
    }
    return session;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const exited = once(this.#worker, "exit");
    const closing = this.#post({ kind: "close" });
    this.#closed = new OctavoError("unavailable", "The database is closed.");
    await closing.catch(() => this.#worker.terminate());
    await exited;
  }

  /** Runs `start` now, or after the open transaction and all work that was queued before. */
  #inTurn(start: () => Promise<EngineResult>): Promise<EngineResult> {
    if (!this.#inTransaction && this.#waiting.length === 0) return start();
    return new Promise((resolve, reject) => {
      this.#enqueue({ isTransaction: false, start: () => void start().then(resolve, reject) });
    });
  }

  #enqueue(entry: QueuedStart): void {
    this.#waiting.push(entry);
    this.#advance();
  }

  #leave(): void {
    this.#inTransaction = false;
    this.#advance();
  }

  #advance(): void {
    while (!this.#inTransaction) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#inTransaction = next.isTransaction;
      next.start();
    }
  }

  #post(request: WithoutId<EngineTask>): Promise<EngineResult> {
    if (this.#closed) return Promise.reject(this.#closed);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage({ ...request, id }, []);
    });
  }

  #receive(message: EngineMessage): void {
    if (message.kind === "notification") {
      this.#options.onNotification(message.channel, message.payload);
      return;
    }
    if (message.kind === "failed") return this.#crash(new EngineError(message.failure));
    if (message.kind === "ready") return;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === "result") pending?.resolve(message.result);
    else pending?.reject(new EngineError(message.failure));
  }

  #crash(cause: Error): void {
    const wasClosed = this.#closed !== undefined;
    this.#closed ??= new OctavoError(
      "unavailable",
      "The embedded database has stopped; restart the service.",
      { cause },
    );
    for (const pending of this.#pending.values()) pending.reject(this.#closed);
    this.#pending.clear();
    if (!wasClosed) this.#options.onCrash(cause);
  }
}

class Session implements EngineSession {
  readonly #post: EngineSession["query"];
  readonly #leave: () => void;
  readonly #idleMs: number;
  #idle: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(post: EngineSession["query"], leave: () => void, idleMs: number) {
    this.#post = post;
    this.#leave = leave;
    this.#idleMs = idleMs;
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<EngineResult> {
    if (this.#hasEnded) {
      throw new OctavoError(
        "internal",
        `The transaction has ended. A transaction that is idle for ${this.#idleMs} ms is rolled back.`,
      );
    }
    clearTimeout(this.#idle);
    try {
      return await this.#post(sql, parameters);
    } finally {
      if (!this.#hasEnded) this.#idle = setTimeout(() => this.#expire(), this.#idleMs).unref();
    }
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#idle);
    this.#leave();
  }

  #expire(): void {
    this.#hasEnded = true;
    void this.#post("ROLLBACK", [])
      .catch(() => undefined)
      .then(this.#leave);
  }
}

type WithoutId<T> = T extends unknown ? Omit<T, "id"> : never;
