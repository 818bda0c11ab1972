import { spawn } from "node:child_process";
import { once } from "node:events";

/** Runs a command to its end and gives what it said; throws with that where it fails. */
export async function run(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) {
    throw new Error(`${command.join(" ")} ended with ${String(code)}:\n${output}${errors}`);
  }
  return output;
}
