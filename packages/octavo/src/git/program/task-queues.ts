/** Runs the tasks of each name one after the other, in order. */
export class TaskQueues {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Rejects as `task` does; a failed task does not block the next. */
  async take<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const current = before.then(task, task);
    this.#last.set(name, current);
    try {
      return await current;
    } finally {
      if (this.#last.get(name) === current) this.#last.delete(name);
    }
  }
}
