/**
 * Replaces `AbortSignal.timeout`, which must not be used: if `AbortSignal.any` derives a signal from its result, and
 * then another signal from the derived signal, Node retains the signals until the process ends. The returned signal
 * aborts with a `TimeoutError` after `timeoutMs` milliseconds and does not keep the process running.
 */
export function createTimeoutSignal(timeoutMs: number): AbortSignal {
  const controller = new AbortController();
  const abort = () =>
    controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  setTimeout(abort, timeoutMs).unref();
  return controller.signal;
}
