import { processEnvironment, isColorDisabled, invocationFolder } from "../config/index.ts";
import { invocation } from "./invocation.ts";
import { runCommand } from "./program.ts";
import { createTerminal } from "./terminal.ts";

/** Enough for what is still being written. */
const lingerMs = 10_000;

/** Runs the command line that this process was started with, and sets what it exits with. */
export async function runProcess(args: readonly string[]): Promise<void> {
  const env = processEnvironment();
  const cwd = process.cwd();
  const invocationDir = invocationFolder(env, cwd);
  const { stdout, stderr } = process;
  process.exitCode = await runCommand(args, {
    terminal: createTerminal({ stdout, stderr, refusesColor: isColorDisabled(env) }),
    env,
    cwd,
    invocationDir,
    invocation: invocation({ env, invocationDir, script: process.argv[1] ?? "" }),
    interrupted: listenForSignals(),
  });
  // What a command left running must not keep its process: whoever watches over a service waits for its end.
  setTimeout(() => process.exit(), lingerMs).unref();
}

/** The first signal asks the command to end well; the second ends it. Until a command asks, the first ends it too. */
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
