import { basename, delimiter, dirname, relative, sep } from "node:path";
import type { ConfigInput } from "../config/index.ts";
import type { CommandContext } from "./context.ts";

interface ProgramStart {
  readonly env: ConfigInput["env"];
  /** The folder in which the user ran the command. */
  readonly invocationDir: string;
  /** The path of the script that Node was started with: the file itself or a link to it. */
  readonly script: string;
}

/** Returns the shell words with which the user starts the program. */
export function formatInvocation({ env, invocationDir, script }: ProgramStart): string {
  const { npm_lifecycle_event: npmScript, npm_package_json: manifest } = env;
  if (npmScript === "octavo" && manifest !== undefined) {
    return formatNpmCommand(dirname(manifest), invocationDir);
  }
  const folder = dirname(script);
  if (folder.endsWith(`${sep}node_modules${sep}.bin`)) return "npx octavo";
  if (basename(script) !== "octavo") return `node ${quoteShellWord(script)}`;
  const isOnPath = env["PATH"]?.split(delimiter).includes(folder);
  return isOnPath ? "octavo" : quoteShellWord(script);
}

/**
 * Returns the npm command that starts the program. npm finds the package only from folders in it; from others, the
 * command needs a prefix.
 */
function formatNpmCommand(packageDir: string, invocationDir: string): string {
  const isInside = !relative(packageDir, invocationDir).startsWith("..");
  return isInside
    ? "npm run octavo --"
    : `npm --prefix ${quoteShellWord(packageDir)} run octavo --`;
}

/** Returns a command line that starts this program and can be pasted into a shell. */
export function formatCommandLine(
  { invocation }: Pick<CommandContext, "invocation">,
  args: readonly string[],
): string {
  return [invocation, ...args.map(quoteShellWord)].join(" ");
}

/** Quotes one word for a POSIX shell. */
export function quoteShellWord(word: string): string {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
