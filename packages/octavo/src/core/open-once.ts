/**
 * Opens on first use, for all callers together, and tries again after a failure, because e.g. git may be installed in
 * the meantime.
 */
export function openOnce<T>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | undefined;
  return async () => {
    opening ??= open();
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
}
