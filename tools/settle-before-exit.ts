/**
 * Loaded by the processes of tests. Node can wait forever for a thread that compiles when the process ends, if that
 * thread waits for a garbage collection (nodejs/node issue 54918): a process that has nothing left to do gives such
 * threads time to end first.
 */
const settleMs = 200;

process.once("beforeExit", () => {
  setTimeout(() => undefined, settleMs);
});
