/** Lets tasks of one name run one after the other, in the order in which they came. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Rejects as `task` does; a task that fails does not hold up the next. */
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
