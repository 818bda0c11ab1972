import type { Database } from "../../db/index.ts";

/** Status is undefined if notifications may have been missed: read the job. */
type OnChange<Status> = (status: Status | undefined) => void;

/** Notifies followers in this process of changes to the jobs of one kind. */
export class JobChanges<Status extends string> implements AsyncDisposable {
  readonly #followers = new Map<string, Set<OnChange<Status>>>();
  #listening: AsyncDisposable | undefined;

  /** Listens on the channel where the table's trigger announces each change, as `<id> <status>`. */
  async listen(database: Database, channel: string): Promise<this> {
    this.#listening = await database.listen(
      channel,
      (payload) => this.#notify(payload),
      () => this.#notifyGap(),
    );
    return this;
  }

  follow(jobId: string, onChange: OnChange<Status>): Disposable {
    const followers = this.#followers.get(jobId) ?? new Set();
    this.#followers.set(jobId, followers.add(onChange));
    return {
      [Symbol.dispose]: () => {
        followers.delete(onChange);
        if (followers.size === 0) this.#followers.delete(jobId);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening?.[Symbol.asyncDispose]();
  }

  #notify(payload: string): void {
    const [jobId = "", status] = payload.split(" ");
    for (const onChange of this.#followers.get(jobId) ?? []) {
      onChange(status as Status);
    }
  }

  #notifyGap(): void {
    for (const followers of this.#followers.values()) {
      for (const onChange of followers) onChange(undefined);
    }
  }
}

/** A latch that changes set and one reader waits for; changes during a read count as one. */
export class ChangeLatch {
  #isSet = false;
  #wake: (() => void) | undefined;

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Resolves at the next change, or when aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#isSet && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const stop = () => resolve();
      signal.addEventListener("abort", stop);
      await promise;
      signal.removeEventListener("abort", stop);
    }
    this.#isSet = false;
  }
}
