import { text } from "node:stream/consumers";
import { openLauncher } from "../../packages/octavo/src/git/index.ts";

/** Starts git for the services in the processes of tests, as nodes do, and for what tests do; goes with the process. */
export const launcher = openLauncher();

/** Runs git in a folder; the error of one that failed holds its `stderr`. */
export async function launchGit(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const command = { program: "git", args: ["-C", folder, ...args], env, hasInput: false };
  const { stdout, exited } = await launcher.start(command);
  const [output, { exitCode, stderr }] = await Promise.all([text(stdout), exited]);
  if (exitCode === 0) return output;
  throw Object.assign(new Error(`git ${args.join(" ")}: ${stderr}`), { stderr });
}
