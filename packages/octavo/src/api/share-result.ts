/**
 * Returns a function whose concurrent calls, and those shortly after, share one result or error, so that frequent calls
 * do not add load on the database or the storage.
 */
export function shareResult<Result>(
  ms: number,
  work: () => Promise<Result>,
): () => Promise<Result> {
  let shared: Promise<Result> | undefined;
  const forgetLater = () => void setTimeout(() => (shared = undefined), ms).unref();
  return () => {
    if (shared) return shared;
    shared = work();
    shared.then(forgetLater, forgetLater);
    return shared;
  };
}
