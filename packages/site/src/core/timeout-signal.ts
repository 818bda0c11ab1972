/**
 * As `AbortSignal.timeout`, which must not be used: a signal that `AbortSignal.any` makes of one is held by Node until
 * its process ends once another is made of it in turn, which is what each request of a model did. It is aborted by a
 * `TimeoutError` after `ms` milliseconds, and keeps no process running.
 */
export function createTimeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const abort = () =>
    controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  setTimeout(abort, ms).unref();
  return controller.signal;
}
