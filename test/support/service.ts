import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { putEmptyDatabase } from "./empty-database.ts";
import { patienceMs } from "./patience.ts";
import { programArgs } from "./program.ts";

const repository = resolve(import.meta.dirname, "../..");

/** A running `octavo serve` in a process of its own, as an operator starts it. */
export interface RunningService extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** The admin key that the first start wrote. */
  readonly key: string;
  /** Everything it wrote so far. */
  output(): string;
  /** Sends a signal and waits for the end; gives the exit code, null where a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface TestServiceOptions {
  readonly data: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The service makes its database too, which takes seconds. */
  readonly isFirstStart?: boolean;
}

/** Starts the service on a free port; throws with its output where it ends before it is ready. */
export async function startService(options: TestServiceOptions): Promise<RunningService> {
  if (options.isFirstStart !== true) await putEmptyDatabase(options.data);
  const child = spawn(
    process.execPath,
    programArgs(["serve", "--port", "0", "--data", options.data, ...(options.args ?? [])]),
    {
      cwd: repository,
      env: { PATH: process.env["PATH"], ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  const url = await readyUrl(child, () => output);
  const key = (await readFile(join(options.data, "admin-key"), "utf8")).trim();
  async function end(signal: NodeJS.Signals): Promise<number | null> {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exit = once(child, "exit");
    child.kill(signal);
    const late = killLater(child);
    const [code] = (await exit) as [number | null];
    clearTimeout(late.timer);
    if (late.isKilled()) throw new Error(`The service did not end on ${signal}:\n${output}`);
    return code;
  }
  return {
    url,
    key,
    pid: child.pid ?? 0,
    output: () => output,
    end,
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
    },
  };
}

/** A process that stays would keep that of the test from its end. */
function killLater(child: ChildProcess) {
  let isKilled = false;
  const timer = setTimeout(() => (isKilled = child.kill("SIGKILL")), patienceMs);
  return { timer, isKilled: () => isKilled };
}

async function readyUrl(child: ChildProcess, output: () => string): Promise<string> {
  const { timer } = killLater(child);
  try {
    return await new Promise((resolve, reject) => {
      child.stdout?.on("data", () => {
        const url = /Octavo is ready at (\S+)/.exec(output())?.[1];
        if (url) resolve(url);
      });
      child.once("exit", (code, signal) =>
        reject(
          new Error(`The service ended with ${code ?? signal} before it was ready:\n${output()}`),
        ),
      );
    });
  } finally {
    clearTimeout(timer);
  }
}
