import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Writable } from "node:stream";
import { findCompileCacheFolder, resolveSiblingModule } from "@octavo/site/core";
import { streamMarks, type LaunchReport, type LaunchRequest } from "./launch-messages.ts";
import {
  createDiscardStream,
  createGroupStopper,
  ownProcesses,
  type ProcessCommand,
  type ProcessExit,
  type Processes,
  type RunningProcess,
} from "./processes.ts";

/**
 * The time to wait for connections after the program has exited. A connection that was refused for lack of file
 * descriptors never arrives.
 */
const connectTimeoutMs = 10_000;

/** A program that the launcher was asked to start. */
class Launch {
  readonly #stdin = Promise.withResolvers<Writable>();
  readonly #stdout = Promise.withResolvers<Socket>();
  readonly #started = Promise.withResolvers<number>();
  readonly #ended = Promise.withResolvers<ProcessExit>();
  /** The number of connections that have not arrived yet. */
  #missing: number;

  constructor({ hasInput }: ProcessCommand) {
    this.#missing = hasInput ? 2 : 1;
    if (!hasInput) this.#stdin.resolve(createDiscardStream());
  }

  /** Returns the running process, like `Processes.start`. */
  async run(): Promise<RunningProcess> {
    const pid = await this.#started.promise;
    // The launcher connects before it starts the program, so both connections will arrive.
    const [stdin, stdout] = await Promise.all([this.#stdin.promise, this.#stdout.promise]);
    const closed = new Promise((resolve) => void stdout.end().once("close", resolve));
    const exited = closed.then(async () => await this.#ended.promise);
    return { stdin, stdout, exited, stop: createGroupStopper(pid, exited) };
  }

  /** Resolves when the launcher will report nothing more. */
  async waitForEnd(): Promise<void> {
    try {
      await Promise.all([this.#started.promise, this.#stdin.promise, this.#stdout.promise]);
      await this.#ended.promise;
    } catch {
      // The program was not started, so its connections must be closed here.
      for (const { promise } of [this.#stdin, this.#stdout]) {
        promise.then(
          (stream) => stream.destroy(),
          () => undefined,
        );
      }
    }
  }

  attach(mark: string, stream: Socket): void {
    this.#missing -= 1;
    if (mark === streamMarks.stdout) this.#stdout.resolve(stream);
    // Only the end of this stream matters, and only reading reveals it.
    else this.#stdin.resolve(stream.resume());
  }

  note(report: LaunchReport): void {
    if (report.type === "started") this.#started.resolve(report.pid);
    else if (report.type === "ended") this.#end(report.end);
    else this.#started.reject(createStartError(report.code));
  }

  /** Marks the launch as lost, because no process will report on it anymore. */
  lose(): void {
    this.#started.reject(createStartError("ESRCH"));
    this.#end({ exitCode: 1, stderr: "The process that started it has exited." });
  }

  #end(end: ProcessExit): void {
    this.#ended.resolve(end);
    if (this.#missing === 0) return;
    const giveUp = (): void => {
      const error = createStartError("ECONNREFUSED");
      this.#stdin.reject(error);
      this.#stdout.reject(error);
    };
    // Incoming connections are accepted first, because this process may have been paused in the meantime.
    setTimeout(() => setImmediate(giveUp), connectTimeoutMs);
  }
}

function createStartError(code: string): Error {
  return Object.assign(new Error(`The program was not started: ${code}.`), { code });
}

/**
 * Runs programs as children of a small process. When a process starts another process, Linux copies its page tables,
 * and a node of the service is so large that it could not respond during that time. The programs' input and output does
 * not pass through the launcher, which connects the programs directly to this process.
 */
interface Launcher extends Processes, AsyncDisposable {}

/**
 * Opens a launcher. Its process starts with the first program, starts again if it died, and does not outlive this
 * process. Disposing of the launcher does not stop programs that are still running.
 */
export function openLauncher(): Launcher {
  // Other systems have no abstract names for sockets, so connections would need a file.
  if (process.platform !== "linux") return { ...ownProcesses, async [Symbol.asyncDispose]() {} };
  let current: Promise<LauncherProcess> | undefined;
  const forget = (): void => void (current = undefined);
  return {
    async start(command) {
      current ??= startLauncher(forget);
      return await (await current).start(command);
    },
    async [Symbol.asyncDispose]() {
      await (await current)?.end();
    },
  };
}

interface LauncherProcess extends Processes {
  end(): Promise<void>;
}

const headLength = randomUUID().length + 1;
/** The time within which a new connection must identify itself. */
const headTimeoutMs = 10_000;
const program = fileURLToPath(resolveSiblingModule(import.meta.url, "launcher-process"));
/** Flags of this process that the launcher needs to find its program, and that keep V8 stable. */
const inheritedFlag = /^--(?:conditions=|no-memory-protection-keys$|disable-warning=)/;

async function startLauncher(onEnd: () => void): Promise<LauncherProcess> {
  const launches = new Map<string, Launch>();
  const server = createServer({ allowHalfOpen: true }, (socket) => takeStream(socket, launches));
  // The NUL makes this an abstract name, which is in no folder and disappears with this process.
  const path = `\0octavo-${randomUUID()}`;
  server.listen(path);
  await once(server, "listening");
  server.unref();
  const child = spawnLauncher();
  const noteEnd = (): void => {
    onEnd();
    server.close();
    for (const launch of launches.values()) launch.lose();
  };
  child.on("message", (report: LaunchReport) => launches.get(report.id)?.note(report));
  child.once("error", noteEnd).once("disconnect", noteEnd);
  return {
    async start(command) {
      const id = randomUUID();
      const launch = new Launch(command);
      launches.set(id, launch);
      child.channel?.ref();
      const forget = (): void => {
        launches.delete(id);
        // An idle launcher does not keep this process alive.
        if (launches.size === 0) child.channel?.unref();
      };
      void launch.waitForEnd().then(forget);
      const request: LaunchRequest = { ...command, id, path };
      child.send(request, (error) => error && launch.lose());
      return await launch.run();
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.ref();
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

function spawnLauncher(): ChildProcess {
  const flags = process.execArgv.filter((flag) => inheritedFlag.test(flag));
  const cache = findCompileCacheFolder();
  const child = spawn(process.execPath, [...flags, program], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
    // In a process group of its own, the launcher does not receive the terminal's signals, which are for this process.
    detached: true,
  });
  child.unref();
  child.channel?.unref();
  return child;
}

function takeStream(stream: Socket, launches: ReadonlyMap<string, Launch>): void {
  // The program's exit code shows why it did not read or write everything.
  stream.on("error", () => undefined);
  let isIdentified = false;
  const giveUp = (): void => void (isIdentified || stream.destroy());
  // Data that has already arrived is read first, because this process may have been paused in the meantime.
  const timer = setTimeout(() => setImmediate(giveUp), headTimeoutMs);
  const readHead = (): void => {
    const head = stream.read(headLength) as Buffer | null;
    if (head === null) return;
    isIdentified = true;
    stream.off("readable", readHead);
    const launch = launches.get(head.toString("latin1", 0, headLength - 1));
    if (launch === undefined) stream.destroy();
    else launch.attach(head.toString("latin1", headLength - 1), stream);
  };
  stream.on("readable", readHead).once("close", () => clearTimeout(timer));
}
