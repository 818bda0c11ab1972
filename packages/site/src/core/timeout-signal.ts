/**
 * Replaces `AbortSignal.timeout`, which must not be used: if `AbortSignal.any` derives a signal from one, and another
 * is derived from that in turn, as each model request did, Node retains the signal until its process ends. The
 * returned signal aborts with a `TimeoutError` after `ms` milliseconds and does not keep the process running.
 */
export function createTimeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const abort = () =>
    controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  setTimeout(abort, ms).unref();
  return controller.signal;
}
