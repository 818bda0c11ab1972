import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { findCompileCacheFolder, resolveSiblingModule } from "@octavo/site/core";
import { Launch } from "./launch.ts";
import type { LaunchReport, LaunchRequest } from "./launch-messages.ts";
import { ownProcesses } from "./processes.ts";
import type { Processes } from "./processes.ts";

/**
 * Runs programs as children of a small process: Linux copies the page tables of a process that starts another one, and
 * a node of the service is large and cannot respond during that time. The programs' input and output does not pass
 * through the launcher: it connects them to this process.
 */
export interface Launcher extends Processes, AsyncDisposable {}

/**
 * Opens a launcher. Its process is started for the first program, and again if it died; it does not outlive this one.
 * Disposing of the launcher does not end programs that are still running.
 */
export function openLauncher(): Launcher {
  // On other systems a connection needs a file.
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
/** The time in which a new connection must identify itself. */
const headMs = 10_000;
const program = fileURLToPath(resolveSiblingModule(import.meta.url, "launcher-process"));
/** Flags of this process that the launcher needs to find its program, and that keep V8 stable. */
const inherited = /^--(?:conditions=|no-memory-protection-keys$|disable-warning=)/;

async function startLauncher(onEnd: () => void): Promise<LauncherProcess> {
  const launches = new Map<string, Launch>();
  const server = createServer({ allowHalfOpen: true }, (socket) => takeStream(socket, launches));
  // The NUL makes it an abstract name, which is not in any folder and disappears with this process.
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
      void launch.over().then(forget);
      const request: LaunchRequest = { ...command, id, path };
      child.send(request, (error) => error && launch.lose());
      return await launch.run();
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.ref();
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

function spawnLauncher(): ChildProcess {
  const flags = process.execArgv.filter((flag) => inherited.test(flag));
  const cache = findCompileCacheFolder();
  const child = spawn(process.execPath, [...flags, program], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
    // A terminal's signals are for this process.
    detached: true,
  });
  child.unref();
  child.channel?.unref();
  return child;
}

function takeStream(stream: Socket, launches: ReadonlyMap<string, Launch>): void {
  // The program's exit code shows why it did not read or write everything.
  stream.on("error", () => undefined);
  let isKnown = false;
  const giveUp = (): void => void (isKnown || stream.destroy());
  // Data that has arrived is read first: this process may have been paused in the meantime.
  const timer = setTimeout(() => setImmediate(giveUp), headMs);
  const readHead = (): void => {
    const head = stream.read(headLength) as Buffer | null;
    if (head === null) return;
    isKnown = true;
    stream.off("readable", readHead);
    const launch = launches.get(head.toString("latin1", 0, headLength - 1));
    if (launch === undefined) stream.destroy();
    else launch.take(head.toString("latin1", headLength - 1), stream);
  };
  stream.on("readable", readHead).once("close", () => clearTimeout(timer));
}
