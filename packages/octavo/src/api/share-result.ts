/**
 * Calls of the same time, and those shortly after, share one result, or one error: what costs the database or the
 * storage something does not cost more because somebody asks often.
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
