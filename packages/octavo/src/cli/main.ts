import { processEnvironment, refusesColor, standingFolder } from "../config/index.ts";
import { runCommand } from "./program.ts";
import { createTerminal } from "./terminal.ts";

const env = processEnvironment();
const cwd = process.cwd();
const { stdout, stderr } = process;

let interruption: AbortController | undefined;

/** The first signal asks the command to end well; the second ends it. */
function interrupted(): AbortSignal {
  if (interruption) return interruption.signal;
  const controller = new AbortController();
  interruption = controller;
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  return controller.signal;
}

process.exitCode = await runCommand(process.argv.slice(2), {
  terminal: createTerminal({ stdout, stderr, refusesColor: refusesColor(env) }),
  env,
  cwd,
  standing: standingFolder(env, cwd),
  interrupted,
});
