/**
 * Loaded by each process of tests, with the limits in its own address: `limit-process.ts?runner=…&timeoutMs=…&lingerMs=…`.
 * A process that hangs ends and says why, whatever it does with signals. Does nothing in programs that a test starts with
 * its own flags.
 */
import { Worker } from "node:worker_threads";

const limits = new URL(import.meta.url).searchParams;
/** The limit for the process. */
const timeoutMs = Number(limits.get("timeoutMs"));
/** How long the leftovers of tests may keep the process running. */
const lingerMs = Number(limits.get("lingerMs"));
/**
 * Node can wait forever for a thread that compiles when the process ends, if that thread waits for a garbage collection
 * (nodejs/node issue 54918): a process that has nothing left to do gives such threads time to end first.
 */
const settleMs = 200;

if (process.ppid === Number(limits.get("runner"))) await limitProcess();

async function limitProcess(): Promise<void> {
  // A thread, because a process in an endless loop does not handle signals.
  const kill = `setTimeout(() => process.kill(${process.pid}, "SIGKILL"), ${timeoutMs})`;
  new Worker(kill, { eval: true, execArgv: [] }).unref();
  // In any other process this would start a run of tests.
  const { after } = await import("node:test");
  after(() => {
    setTimeout(failToEnd, lingerMs).unref();
  });
  process.once("beforeExit", () => {
    setTimeout(() => undefined, settleMs);
  });
}

/** The timer alone would not keep the process: something else does. */
function failToEnd(): void {
  const resources = process.getActiveResourcesInfo().join(", ");
  process.stderr.write(
    `All tests have ended, but this keeps their process running: ${resources}.\n`,
  );
  process.exit(1);
}
