import type { Database } from "../../db/index.ts";
import { hasEnded } from "./job.ts";
import type { StaticExportStatus } from "./job.ts";

/** Where the table's trigger tells each change, as `<id> <status>`. */
const channel = "octavo_static_export";

/** Status is undefined where notifications may have been missed: read the job to know. */
type OnChange = (status: StaticExportStatus | undefined) => void;

/** Tells the changes of static exports to those in this process who follow one. */
export class StaticExportChanges implements AsyncDisposable {
  readonly #followers = new Map<string, Set<OnChange>>();
  readonly #listening: AsyncDisposable[] = [];

  static async open(database: Database): Promise<StaticExportChanges> {
    const changes = new StaticExportChanges();
    const listening = await database.listen(
      channel,
      (payload) => changes.#tell(payload),
      () => changes.#tellGap(),
    );
    changes.#listening.push(listening);
    return changes;
  }

  follow(jobId: string, onChange: OnChange): Disposable {
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
    for (const listening of this.#listening) await listening[Symbol.asyncDispose]();
  }

  #tell(payload: string): void {
    const [jobId = "", status] = payload.split(" ");
    for (const onChange of this.#followers.get(jobId) ?? []) {
      onChange(status as StaticExportStatus);
    }
  }

  #tellGap(): void {
    for (const followers of this.#followers.values()) {
      for (const onChange of followers) onChange(undefined);
    }
  }
}

/** A latch that changes set and one reader waits on: changes while it reads are one change. */
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

/** Aborts when the job has ended by somebody else's hand. */
export function endedSignal(
  changes: StaticExportChanges,
  jobId: string,
): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const following = changes.follow(jobId, (status) => {
    if (status !== undefined && hasEnded(status)) controller.abort();
  });
  return { signal: controller.signal, [Symbol.dispose]: () => following[Symbol.dispose]() };
}
