/** A limited number of slots for concurrent tasks. */
interface Slots {
  /** Runs a task when a slot is free. Waiting tasks run in order of arrival. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

export function createSlots(count: number): Slots {
  const waiters: (() => void)[] = [];
  let runningCount = 0;
  return {
    async run(task) {
      if (runningCount >= count) await new Promise<void>((resolve) => waiters.push(resolve));
      else runningCount += 1;
      try {
        return await task();
      } finally {
        const next = waiters.shift();
        if (next) next();
        else runningCount -= 1;
      }
    },
  };
}

/**
 * Returns a function that calls `open` on first use and gives every caller the same result. After a failure, the next
 * call tries again, because, for example, git may have been installed in the meantime.
 */
export function openOnce<T>(open: () => Promise<T>): () => Promise<T> {
  let pendingResult: Promise<T> | undefined;
  return async () => {
    pendingResult ??= open();
    try {
      return await pendingResult;
    } catch (error) {
      pendingResult = undefined;
      throw error;
    }
  };
}
