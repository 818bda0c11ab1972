import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { folderFor } from "../../../../test/support/git-fixture.ts";
import { program, programArgs } from "../../../../test/support/program.ts";
import { unprivilegedUser } from "../../../../test/support/unprivileged.ts";
import { writeFiles } from "../../../../test/support/temporary-folder.ts";
import { formatInvocation, quoteShellWord } from "./invocation.ts";
import { runCommand } from "./program.ts";
import { createTerminal } from "./terminal.ts";

export const goodSite = {
  "docs.json": JSON.stringify({ name: "Good", navigation: { pages: ["index", "guides/start"] } }),
  "index.mdx": "---\ntitle: Home\n---\n\nRead [the guide](/guides/start#first-step).",
  "guides/start.mdx": "---\ntitle: Start\n---\n\n## First step\n\nText.",
};
export const brokenSite = {
  ...goodSite,
  "index.mdx":
    "---\ntitle: Home\n---\n\nOne [link](/nowhere).\n\nAnother [link](/guides/start#gone).",
};
export const warnedSite = {
  ...goodSite,
  "index.mdx": "---\ntitle: Home\n---\n\nA [link](/guides/start#gone).",
};

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface StartOptions extends RunOptions {
  /** Whether the command runs as a user other than root, because root may write everywhere. */
  readonly isUnprivileged?: true;
}

/** With a home of its own and nothing else in its environment. */
function environmentIn({ cwd, env = {} }: RunOptions): Readonly<Record<string, string>> {
  return { PATH: process.env["PATH"] ?? "", HOME: join(cwd, "home"), ...env };
}

/** Starts the program as a person does. */
export function start(args: readonly string[], options: StartOptions) {
  const child = spawn(process.execPath, programArgs(args), {
    ...(options.isUnprivileged && unprivilegedUser),
    cwd: options.cwd,
    env: environmentIn(options),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const done = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return {
    child,
    async end() {
      const [stdout, stderr, [code]] = await done;
      return { stdout, stderr, code: code as number | null };
    },
  };
}

/** Runs a command to its end in a process of its own: for what is about the process. */
export async function runAlone(args: readonly string[], options: StartOptions) {
  return await start(args, options).end();
}

/** Only the `script` of util-linux takes a command. */
export const canRunInTerminal = process.platform === "linux";

interface TerminalRun extends RunOptions {
  /** The answers that a person types, in order, each when its question appears. */
  readonly answers: readonly (readonly [question: string, answer: string])[];
}

/** Runs a command in a terminal of its own, and returns what the terminal showed. */
export async function runInTerminal(args: readonly string[], options: TerminalRun) {
  const words = [process.execPath, ...programArgs(args)];
  const command = words.map((word) => quoteShellWord(word)).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: options.cwd,
    env: { ...environmentIn(options), NO_COLOR: "1" },
  });
  const answers = [...options.answers];
  let [shown, readTo] = ["", 0];
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    shown += part;
    for (;;) {
      const [question, answer] = answers[0] ?? [];
      const at = question === undefined ? -1 : shown.indexOf(question, readTo);
      if (question === undefined || at === -1) return;
      readTo = at + question.length;
      answers.shift();
      child.stdin.write(answer);
    }
  });
  const [code] = (await once(child, "close")) as [number];
  return { code, shown };
}

/** Runs a command to its end as `runProcess` does, in this process: to start another takes 0.4 s of CPU. */
export async function run(args: readonly string[], options: RunOptions) {
  const { cwd } = options;
  const env = environmentIn(options);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommand(args, {
    terminal: createTerminal({ stdout, stderr, isColorDisabled: false }),
    env,
    cwd,
    invocationDir: cwd,
    invocation: formatInvocation({ env, invocationDir: cwd, script: program }),
    listenForInterruption: () => new AbortController().signal,
  });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { stdout: out, stderr: err, code };
}

/** A folder with a site in `docs`, and commands run in it. */
export async function setUp(t: TestContext, site: Readonly<Record<string, string>> = goodSite) {
  const cwd = await folderFor(t);
  await writeFiles(join(cwd, "docs"), site);
  return { cwd, octavo: (...args: string[]) => run(args, { cwd }) };
}
