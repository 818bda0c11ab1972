import { OctavoError } from "@octavo/site/core";

/**
 * What a request waits for, one thing after the other, none for longer than it may: to be connected, for the
 * head of the response, for each next part of it.
 */
export class PhaseTimer {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  /** Aborted with `unavailable` when something took too long. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the phase before. */
  start(limitMs: number, describe: (time: string) => string): void {
    this.stop();
    this.#timer = setTimeout(() => {
      const seconds = Math.max(1, Math.round(limitMs / 1000));
      const time = seconds === 1 ? "1 second" : `${seconds} seconds`;
      this.#controller.abort(new OctavoError("unavailable", describe(time)));
    }, limitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
