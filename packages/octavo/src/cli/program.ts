import { Command, CommanderError } from "commander";
import { OctavoError, describeSystemRefusal } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import { commands } from "./commands.ts";
import type { CommandContext } from "./context.ts";
import { exitCodes } from "./exit-codes.ts";
import { readVersion } from "./version.ts";
import { getInvocationFolder, isColorDisabled, getProcessEnvironment } from "../config/index.ts";
import { formatInvocation } from "./invocation.ts";
import { createTerminal } from "./terminal.ts";

/** The maximum time that a finished command can take to write its remaining output. */
const outputTimeoutMs = 10_000;

/**
 * Runs one command line, given without the program's name, and returns the exit code (`exitCodes`). An error is printed
 * as one sentence on standard error and, with `--json`, also as an object on standard output. A stack trace is printed
 * only if Octavo itself is at fault.
 */
export async function runCommand(
  args: readonly string[],
  environment: Omit<CommandContext, "args" | "setExitCode">,
): Promise<number> {
  let exitCode: number = exitCodes.success;
  const context = { ...environment, args, setExitCode: (code: number) => void (exitCode = code) };
  try {
    const program = await createProgram(context);
    await program.parseAsync(rewriteArguments(args), { from: "user" });
    return exitCode;
  } catch (error) {
    if (isHelpRequest(error))
      return error.exitCode === 0 ? exitCodes.success : exitCodes.usageError;
    return reportFailure(describeCommandFailure(error), context);
  }
}

/**
 * Rewrites arguments that the parser would misread: `help keys create`, for which it would show only the help of
 * `keys`, an unknown command, for which it would show the program's help, and the short forms `version` and `-V`.
 */
function rewriteArguments(args: readonly string[]): readonly string[] {
  const [first = "", ...names] = args;
  if (["version", "-V"].includes(first)) return ["--version", ...names];
  const name = first === "help" ? (names[0] ?? "") : first;
  const isUnknown = /^[^-]/.test(name) && !commands.some((command) => command.name === name);
  if (isUnknown) return [name];
  return first === "help" && names.length > 1 ? [...names, "--help"] : args;
}

/** Reports whether help was shown, on request or because a command was missing. */
function isHelpRequest(error: unknown): error is CommanderError {
  return (
    error instanceof CommanderError && (error.exitCode === 0 || error.code === "commander.help")
  );
}

/** The report of an error, for a person or a program. */
interface CommandFailure {
  /** A single sentence. */
  readonly message: string;
  readonly code: ErrorCode;
  readonly exitCode: number;
  /** The stack trace, if Octavo itself is at fault. */
  readonly trace?: string;
}

export function describeCommandFailure(error: unknown): CommandFailure {
  // Reports the first failure, not the failure to close a resource after it.
  if (error instanceof SuppressedError) return describeCommandFailure(error.suppressed);
  if (error instanceof CommanderError) {
    const message = `${joinLines(error.message)}; see --help`;
    return { message, code: "invalid_input", exitCode: exitCodes.usageError };
  }
  if (error instanceof OctavoError) {
    const { message, code } = error;
    return { message, code, exitCode: getExitCode(code) };
  }
  const refusal = describeSystemRefusal(error);
  if (refusal !== undefined) {
    const { dest, path } = error as { readonly dest?: string; readonly path?: string };
    const message = `The system refuses access to ${dest ?? path ?? "a file"}: ${refusal}.`;
    return { message, code: "unavailable", exitCode: exitCodes.failed };
  }
  const message = "This should not have happened; please report it.";
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, code: "internal", exitCode: exitCodes.failed, trace };
}

function getExitCode(code: ErrorCode): number {
  if (code === "cancelled") return exitCodes.interrupted;
  return code === "invalid_input" ? exitCodes.usageError : exitCodes.failed;
}

/** Joins the lines of a parser error, whose suggestion is on a separate line. */
function joinLines(text: string): string {
  return text
    .replace(/^error: /, "")
    .trim()
    .replace(/\.$/, "")
    .replaceAll(/\s*\n\s*/g, " ");
}

function reportFailure(
  { message, code, exitCode, trace }: CommandFailure,
  context: CommandContext,
): number {
  const { terminal, args } = context;
  const sentence = writeCommandsAsInvoked(message, context.invocation);
  terminal.note(`octavo: ${sentence}${trace === undefined ? "" : `\n${trace}`}`);
  // Looks for --json in the raw arguments, so that the caller gets an object even if the command line cannot be parsed.
  const separatorIndex = args.indexOf("--");
  const options = separatorIndex === -1 ? args : args.slice(0, separatorIndex);
  if (options.includes("--json")) terminal.print(JSON.stringify({ error: sentence, code }));
  return exitCode;
}

/** Replaces `octavo` in quoted commands with the words that start the program, so that users can paste the commands. */
function writeCommandsAsInvoked(message: string, invocation: string): string {
  return message.replaceAll(/(?<=")octavo(?= [a-z])/g, () => invocation);
}

async function createProgram(context: CommandContext): Promise<Command> {
  const { terminal, args } = context;
  const program = new Command("octavo")
    .description(
      "Renders documentation sites into bundles that open anywhere, from the command line or as a service.",
    )
    .version(readVersion(), "-v, --version", "show the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      // `report` prints the error.
      outputError: () => {},
    })
    .exitOverride();
  for (const { name, summary, load, isPrivate } of commands) {
    const command = program.command(name).summary(summary);
    if (args.includes(name)) (await load())(command, context);
    if (args[0] === name && isPrivate) process.umask(0o077);
  }
  return program.addHelpText(
    "after",
    `
Examples:
  octavo new docs                      a small site to start from
  octavo dev docs                      a preview of it while you write
  octavo check docs                    list what is broken
  octavo export docs --out docs.zip    a bundle that opens with a double-click
  octavo serve                         the service, on http://127.0.0.1:4400

"octavo help <command>" shows the options of a command and an example.${formatStartHint(context)}`,
  );
}

/** Returns a line that says how to start Octavo, or nothing if `octavo` starts it, as in all examples. */
function formatStartHint({ invocation }: CommandContext): string {
  return invocation === "octavo" ? "" : `\nStart octavo with: ${invocation}`;
}

/** Runs the command line that started this process and sets the exit code. */
export async function runProcess(args: readonly string[]): Promise<void> {
  const env = getProcessEnvironment();
  const cwd = process.cwd();
  const invocationDir = getInvocationFolder(env, cwd);
  const { stdout, stderr } = process;
  process.exitCode = await runCommand(args, {
    terminal: createTerminal({ stdout, stderr, isColorDisabled: isColorDisabled(env) }),
    env,
    cwd,
    invocationDir,
    invocation: formatInvocation({ env, invocationDir, script: process.argv[1] ?? "" }),
    listenForInterruption: listenForSignals(),
  });
  // Handles that a command left open must not keep the process alive, because a supervisor may be waiting for it to
  // end.
  setTimeout(() => process.exit(), outputTimeoutMs).unref();
}

/**
 * Returns a function that starts to handle signals when it is first called. The first signal then asks the command to
 * end gracefully, and the second ends the process. Before the call, any signal ends the process.
 */
function listenForSignals(): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (controller) return controller.signal;
    const interruption = new AbortController();
    controller = interruption;
    const onSignal = (): void => {
      if (interruption.signal.aborted) process.exit(130);
      interruption.abort();
    };
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
    return interruption.signal;
  };
}
