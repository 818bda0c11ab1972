import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";
import { programArgs } from "../support/program.ts";

const repository = resolve(import.meta.dirname, "../..");
const readyPattern = /Octavo is (?:ready at|running as a worker)/;
/** Between two starts, as a supervisor waits. */
const restartMs = 500;

/** A node of the service with a supervisor that starts it again whenever it ends. */
export interface SupervisedNode extends AsyncDisposable {
  readonly name: string;
  readonly isWorker: boolean;
  readonly url: string;
  readonly data: string;
  readonly log: string;
  /** The ID of the current process, and of the process group that it starts. */
  readonly pid: () => number;
  /** Ends that nobody asked for, after it was ready. */
  readonly deaths: readonly string[];
  /** Starts that ended before it was ready, with what it said; a node refuses to start without its database. */
  readonly refusals: readonly string[];
  /** Kills the process, or all that it started too; it is started again `afterMs` later. */
  kill(scope: "process" | "group", afterMs: number): Promise<void>;
  /** Stops or continues the process and all that it started. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** Resolves when a process that is ready runs. */
  untilReady(): Promise<void>;
  /** Tells it to end for good, or until `start`; gives the exit code. */
  end(): Promise<number | null>;
  start(): Promise<void>;
}

export interface NodeOptions {
  readonly name: string;
  readonly isWorker: boolean;
  readonly data: string;
  readonly logs: string;
  /** For Node itself. */
  readonly nodeArgs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export async function superviseNode(options: NodeOptions): Promise<SupervisedNode> {
  const { name, isWorker, data, logs, nodeArgs, env } = options;
  const port = await freePort();
  const log = join(logs, `${name}.log`);
  const file = createWriteStream(log, { flags: "a" });
  const deaths: string[] = [];
  const refusals: string[] = [];
  let child: ChildProcess | undefined;
  /** Whether the test asked for the end of the current process. */
  let isExpected = false;
  const state = { isRunning: false };
  let delayMs = 0;
  let ready = Promise.withResolvers<void>();
  let supervising: Promise<void> = Promise.resolve();

  const command = isWorker ? ["worker"] : ["serve", "--roles", "api,sites"];
  const args = programArgs([...command, "--port", String(port), "--data", data], nodeArgs);

  async function runOnce(): Promise<void> {
    isExpected = false;
    const started = spawn(process.execPath, args, {
      cwd: repository,
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    child = started;
    let said = "";
    let isReady = false;
    file.write(`--- ${new Date().toISOString()} started ${started.pid}\n`);
    for (const stream of [started.stdout, started.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        file.write(chunk);
        said = (said + chunk.toString()).slice(-4_000);
        if (isReady || !readyPattern.test(said)) return;
        isReady = true;
        ready.resolve();
      });
    }
    const [code, signal] = (await once(started, "close")) as [number | null, string | null];
    const how = `${name} (${started.pid}) ended with ${signal ?? code} at ${new Date().toISOString()}`;
    file.write(`--- ${how}${isExpected ? ", as it was told" : ""}\n`);
    if (!isExpected) (isReady ? deaths : refusals).push(`${how}:\n${said}`);
    if (isReady) ready = Promise.withResolvers();
  }

  async function supervise(): Promise<void> {
    while (state.isRunning) {
      await runOnce();
      await wait(Math.max(delayMs, restartMs));
      delayMs = 0;
    }
  }

  const sendSignal = (signal: NodeJS.Signals, scope: "process" | "group"): void => {
    const pid = child?.pid;
    if (pid === undefined || child?.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(scope === "group" ? -pid : pid, signal);
    } catch {
      // It ended at this moment.
    }
  };
  const killWithTests = () => sendSignal("SIGKILL", "group");
  process.once("exit", killWithTests);

  return {
    name,
    isWorker,
    data,
    log,
    url: `http://127.0.0.1:${port}`,
    pid: () => child?.pid ?? 0,
    deaths,
    refusals,
    async kill(scope, afterMs) {
      const killed = child;
      isExpected = true;
      delayMs = afterMs;
      // By then the node counts as one that is not ready.
      const closed = killed && once(killed, "close");
      if (killed?.exitCode !== null || killed.signalCode !== null) return;
      sendSignal("SIGKILL", scope);
      await closed;
    },
    signal: (signal) => sendSignal(signal, "group"),
    untilReady: () => ready.promise,
    async end() {
      state.isRunning = false;
      isExpected = true;
      const ended = child;
      sendSignal("SIGTERM", "process");
      await supervising;
      return ended?.exitCode ?? null;
    },
    async start() {
      state.isRunning = true;
      supervising = supervise();
      await ready.promise;
    },
    async [Symbol.asyncDispose]() {
      state.isRunning = false;
      isExpected = true;
      sendSignal("SIGCONT", "group");
      sendSignal("SIGKILL", "group");
      await supervising;
      process.off("exit", killWithTests);
      file.end();
      await once(file, "close");
    },
  };
}
