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
 * pipelined in order. A transaction has exclusive use of the connection from `begin` to `end`, and blocks
 * every reader if it awaits anything but its own statements. A transaction that is idle for `idleTransactionTimeoutMs` is
 * rolled back.
 */
export interface Engine {
  query(sql: string, parameters: readonly unknown[]): Promise<EngineResult>;
  /** Runs several statements without parameters. The result contains their concatenated rows. */
  runScript(sql: string): Promise<EngineResult>;
  begin(statement: string): Promise<EngineSession>;
  close(): Promise<void>;
}

interface QueuedStart {
  readonly isTransaction: boolean;
  start(): void;
}

interface PendingCall {
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
  readonly firstResponse: Promise<EngineMessage | number>;
}

interface EngineOptions {
  readonly folder: string;
  /** A started thread that no engine has used. By default, a new thread is started. */
  readonly thread?: EngineThread | undefined;
  onNotification(channel: string, payload: string): void;
  /** Called when the thread has ended without being closed. All further statements fail. */
  onCrash(error: Error): void;
  /** The maximum idle time of a transaction. Defaults to 15 seconds. */
  readonly idleTransactionTimeoutMs?: number;
}

/** Starts a thread for `openEngine`. The thread keeps this process alive until it ends. */
export function startEngineThread(): EngineThread {
  const cacheFolder = findCompileCacheFolder();
  const worker = new Worker(resolveSiblingModule(import.meta.url, "engine-thread"), {
    // PGlite uses WebAssembly's own memory, so the thread needs no memory flags. From the environment, it needs only
    // the folder of the compile cache, without which compiling its modules takes 0.2 s.
    env: cacheFolder === undefined ? {} : { NODE_COMPILE_CACHE: cacheFolder },
    execArgv: [],
  });
  const firstResponse = Promise.race([once(worker, "message"), once(worker, "exit")]).then(
    ([message]) => message as EngineMessage | number,
  );
  // The failure of an unused thread does not matter.
  firstResponse.catch(() => undefined);
  return {
    worker,
    firstResponse,
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

/** Opens the database in `folder`, or creates it. Only this process may use the folder. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const { worker, firstResponse } = options.thread ?? startEngineThread();
  const request: EngineRequest = { kind: "open", folder: options.folder };
  worker.postMessage(request, []);
  const message = await firstResponse;
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
  readonly #pendingCalls = new Map<number, PendingCall>();
  readonly #waitingStarts: QueuedStart[] = [];
  #isInTransaction = false;
  #lastId = 0;
  #closedError: OctavoError | undefined;

  constructor(worker: Worker, options: EngineOptions) {
    this.#worker = worker;
    this.#options = options;
    worker.on("message", (message: EngineMessage) => this.#receive(message));
    worker.on("error", (error) => this.#crash(error));
    worker.on("exit", () => this.#crash(new Error("The thread ended.")));
  }

  query(sql: string, parameters: readonly unknown[]): Promise<EngineResult> {
    return this.#runInTurn(() => this.#post({ kind: "query", sql, parameters: [...parameters] }));
  }

  runScript(sql: string): Promise<EngineResult> {
    return this.#runInTurn(() => this.#post({ kind: "script", sql }));
  }

  async begin(statement: string): Promise<EngineSession> {
    await new Promise<void>((resolve) => this.#enqueue({ isTransaction: true, start: resolve }));
    const session = new Session(
      (sql, parameters) => this.#post({ kind: "query", sql, parameters: [...parameters] }),
      () => this.#leave(),
      this.#options.idleTransactionTimeoutMs ?? 15_000,
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
    if (this.#closedError) return;
    const threadExit = once(this.#worker, "exit");
    const closeResult = this.#post({ kind: "close" });
    this.#closedError = new OctavoError("unavailable", "The database is closed.");
    await closeResult.catch(() => this.#worker.terminate());
    await threadExit;
  }

  /** Runs `start` now, or after the open transaction and all work that was queued before. */
  #runInTurn(start: () => Promise<EngineResult>): Promise<EngineResult> {
    if (!this.#isInTransaction && this.#waitingStarts.length === 0) return start();
    return new Promise((resolve, reject) => {
      this.#enqueue({ isTransaction: false, start: () => void start().then(resolve, reject) });
    });
  }

  #enqueue(entry: QueuedStart): void {
    this.#waitingStarts.push(entry);
    this.#advance();
  }

  #leave(): void {
    this.#isInTransaction = false;
    this.#advance();
  }

  #advance(): void {
    while (!this.#isInTransaction) {
      const next = this.#waitingStarts.shift();
      if (!next) return;
      this.#isInTransaction = next.isTransaction;
      next.start();
    }
  }

  #post(request: WithoutId<EngineTask>): Promise<EngineResult> {
    if (this.#closedError) return Promise.reject(this.#closedError);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pendingCalls.set(id, { resolve, reject });
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
    const pending = this.#pendingCalls.get(message.id);
    this.#pendingCalls.delete(message.id);
    if (message.kind === "result") pending?.resolve(message.result);
    else pending?.reject(new EngineError(message.failure));
  }

  #crash(cause: Error): void {
    const wasClosed = this.#closedError !== undefined;
    this.#closedError ??= new OctavoError(
      "unavailable",
      "The embedded database has stopped; restart the service.",
      { cause },
    );
    for (const pending of this.#pendingCalls.values()) pending.reject(this.#closedError);
    this.#pendingCalls.clear();
    if (!wasClosed) this.#options.onCrash(cause);
  }
}

class Session implements EngineSession {
  readonly #post: EngineSession["query"];
  readonly #leave: () => void;
  readonly #idleTimeoutMs: number;
  #idleTimer: NodeJS.Timeout | undefined;
  #hasEnded = false;

  constructor(post: EngineSession["query"], leave: () => void, idleTimeoutMs: number) {
    this.#post = post;
    this.#leave = leave;
    this.#idleTimeoutMs = idleTimeoutMs;
  }

  async query(sql: string, parameters: readonly unknown[]): Promise<EngineResult> {
    if (this.#hasEnded) {
      throw new OctavoError(
        "internal",
        `The transaction has ended. A transaction that is idle for ${this.#idleTimeoutMs} ms is rolled back.`,
      );
    }
    clearTimeout(this.#idleTimer);
    try {
      return await this.#post(sql, parameters);
    } finally {
      if (!this.#hasEnded)
        this.#idleTimer = setTimeout(() => this.#expire(), this.#idleTimeoutMs).unref();
    }
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#idleTimer);
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
