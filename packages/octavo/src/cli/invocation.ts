import { basename, delimiter, dirname, relative, sep } from "node:path";
import type { ConfigInput } from "../config/index.ts";
import type { CommandContext } from "./context.ts";

interface ProgramStart {
  readonly env: ConfigInput["env"];
  /** The folder in which the person ran the command. */
  readonly invocationDir: string;
  /** What Node was started with: a file, or the link that leads to it. */
  readonly script: string;
}

/** How this person starts the program, as shell words. */
export function invocation({ env, invocationDir, script }: ProgramStart): string {
  const { npm_lifecycle_event: npmScript, npm_package_json: manifest } = env;
  if (npmScript === "octavo" && manifest !== undefined) {
    return byNpmScript(dirname(manifest), invocationDir);
  }
  const folder = dirname(script);
  if (folder.endsWith(`${sep}node_modules${sep}.bin`)) return "npx octavo";
  if (basename(script) !== "octavo") return `node ${quoteShellWord(script)}`;
  const isOnPath = env["PATH"]?.split(delimiter).includes(folder);
  return isOnPath ? "octavo" : quoteShellWord(script);
}

/** npm finds the package from any folder in it, and from no other. */
function byNpmScript(packageDir: string, invocationDir: string): string {
  const isInside = !relative(packageDir, invocationDir).startsWith("..");
  return isInside
    ? "npm run octavo --"
    : `npm --prefix ${quoteShellWord(packageDir)} run octavo --`;
}

/** A command line of this program that can be pasted into a shell. */
export function commandLine(
  { invocation }: Pick<CommandContext, "invocation">,
  args: readonly string[],
): string {
  return [invocation, ...args.map(quoteShellWord)].join(" ");
}

/** One word of a POSIX shell. */
export function quoteShellWord(word: string): string {
  if (/^[\w./:=@%+,-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
