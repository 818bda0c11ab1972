/** A limited number of slots for concurrent tasks. */
interface Slots {
  /** Runs a task when a slot is free. Waiting tasks run in order of arrival. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async run(task) {
      if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await task();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}

/**
 * Returns a function that calls `open` on first use, once for all callers, and tries again after a failure, because
 * e.g. git may be installed in the meantime.
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
