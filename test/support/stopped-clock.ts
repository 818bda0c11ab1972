import type { Page } from "playwright-core";

/** A time that no page reaches before its clock is stopped at it. */
const laterMs = 24 * 60 * 60 * 1000;

/** Stops the timers of a page: a mark that goes away after a while stays until the test moves the clock. */
export async function stopClock({ clock }: Page): Promise<void> {
  await clock.install({ time: 0 });
  await clock.pauseAt(laterMs);
}
