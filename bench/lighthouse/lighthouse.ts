import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { browserArguments, chromiumProgram } from "../../test/support/chromium.ts";
import { readReport, type Report } from "./report.ts";

export const version = "13.5.0";

/** Looks at the page with this address as a phone on a slow network would get it, with an empty cache. */
export type Lighthouse = (url: string) => Promise<Report>;

/** Lighthouse as npm has it, installed into `folder` unless it is there, with the browser of the tests. */
export async function openLighthouse(folder: string): Promise<Lighthouse> {
  await install(folder);
  const program = join(folder, "node_modules/lighthouse/cli/index.js");
  const browser = await chromiumProgram();
  const flags = ["--headless", ...browserArguments].join(" ");
  return async (url) => {
    const command = [program, url, "--quiet", "--output=json", `--chrome-flags=${flags}`];
    const env = { ...browser.env, CHROME_PATH: browser.path };
    return readReport(await run([process.execPath, ...command], folder, env));
  };
}

async function install(folder: string): Promise<void> {
  const manifest = JSON.stringify({ private: true, dependencies: { lighthouse: version } });
  // Written last: it is there only when everything else is.
  const installed = join(folder, "installed.json");
  if ((await readFile(installed, "utf8").catch(() => "")) === manifest) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "package.json"), manifest);
  const quietly = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  await run(["npm", "install", ...quietly], folder);
  await writeFile(installed, manifest);
}

/** Runs a command to its end and gives what it said; throws with its errors where it fails. */
async function run(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [program = "", ...args] = command;
  const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return Buffer.concat(output).toString();
  const said = Buffer.concat(errors).toString();
  throw new Error(`${command.join(" ")} ended with ${String(code)}:\n${said}`);
}
