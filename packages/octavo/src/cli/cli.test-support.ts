import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { folderFor } from "../../../../test/support/git-fixture.ts";
import { runtimeFlags } from "../../../../test/support/service.ts";
import { writeFiles } from "../../../../test/support/temporary-folder.ts";

export const program = resolve(import.meta.dirname, "../../bin/octavo.js");

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

/** Runs the program as a person does, with a home of its own and nothing else in its environment. */
export function start(args: readonly string[], { cwd, env = {} }: RunOptions) {
  const child = spawn(process.execPath, [...runtimeFlags, program, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: join(cwd, "home"), ...env },
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

export async function run(args: readonly string[], options: RunOptions) {
  return await start(args, options).end();
}

/** A folder with a site in `docs`, and the program run in it. */
export async function setUp(t: TestContext, site: Readonly<Record<string, string>> = goodSite) {
  const cwd = await folderFor(t);
  await writeFiles(join(cwd, "docs"), site);
  return { cwd, octavo: (...args: string[]) => run(args, { cwd }) };
}
