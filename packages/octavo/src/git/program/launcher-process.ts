/** The process behind `launcher.ts`. It starts programs, connects them to the requesting process, and reports. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { streamMarks } from "./launch-messages.ts";
import type { LaunchReport, LaunchRequest } from "./launch-messages.ts";
import { waitForExit } from "./processes.ts";

process.on("message", (request: LaunchRequest) => void launch(request));
process.on("disconnect", () => process.exit(0));
// Signals from a terminal or a service manager are for the parent process, which disconnects when it exits.
process
  .on("SIGINT", () => {})
  .on("SIGTERM", () => {})
  .on("SIGHUP", () => {});

function report(message: LaunchReport): void {
  process.send?.(message);
}

async function launch(request: LaunchRequest): Promise<void> {
  const { id } = request;
  try {
    const { pid, ended } = await start(request);
    report({ id, type: "started", pid });
    report({ id, type: "ended", end: await ended });
  } catch (error) {
    report({ id, type: "failed", code: (error as NodeJS.ErrnoException).code ?? String(error) });
  }
}

async function start({ id, path, program, args, env, hasInput }: LaunchRequest) {
  const [stdout, stdin] = await Promise.all([
    openStream(path, `${id}${streamMarks.stdout}`),
    hasInput ? openStream(path, `${id}${streamMarks.stdin}`) : undefined,
  ]);
  const child = spawn(program, args, {
    env,
    stdio: [stdin ?? "ignore", stdout, "pipe"],
    detached: true,
  });
  // The program has its own copies of the descriptors. The connections close when the program closes its copies.
  stdout.destroy();
  stdin?.destroy();
  const ended = waitForExit(child, child.stderr);
  await once(child, "spawn");
  return { pid: child.pid ?? 0, ended };
}

/** Opens a stream whose data only the program reads. */
function openStream(path: string, head: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path).pause().on("error", reject);
    socket.write(head, (error) => error ?? resolve(socket));
  });
}
