/**
 * Limits the time of a test process. Each test process loads this module, with the limits in the module's URL:
 * `limit-process.ts?runner=…&timeoutMs=…&lingerMs=…`. A process that exceeds its limit is ended, even if it handles
 * signals. The module does nothing in programs that a test starts with the flags of its own process.
 */
import { Worker } from "node:worker_threads";

const limits = new URL(import.meta.url).searchParams;
/** The maximum time for the whole process. */
const timeoutMs = Number(limits.get("timeoutMs"));
/** The maximum time for which resources that tests left open may keep the process running. */
const lingerMs = Number(limits.get("lingerMs"));
/**
 * The delay before a process without remaining work ends, so that compiling threads can end first. Otherwise, Node can
 * wait forever for a compiling thread that waits for a garbage collection (nodejs/node issue 54918).
 */
const settleMs = 200;

if (process.ppid === Number(limits.get("runner"))) await limitProcess();

async function limitProcess(): Promise<void> {
  // A thread sets the limit, because a process in an endless loop does not run its own timers.
  const kill = `setTimeout(() => process.kill(${process.pid}, "SIGKILL"), ${timeoutMs})`;
  new Worker(kill, { eval: true, execArgv: [] }).unref();
  // In any other process, this import would start a test run.
  const { after } = await import("node:test");
  after(() => {
    setTimeout(failToEnd, lingerMs).unref();
  });
  process.once("beforeExit", () => {
    setTimeout(() => undefined, settleMs);
  });
}

/** Reports the resources that keep the process running, and exits. The timer itself does not keep it running. */
function failToEnd(): void {
  const resources = process.getActiveResourcesInfo().join(", ");
  process.stderr.write(
    `All tests have ended, but this keeps their process running: ${resources}.\n`,
  );
  process.exit(1);
}
