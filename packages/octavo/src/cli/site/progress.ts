import { formatNumber, pluralize, formatDuration } from "../format.ts";
import type { Terminal } from "../terminal.ts";

export interface PageProgress {
  readonly done: number;
  readonly total: number;
}

/** Shows how far rendering is. Must be ended before anything else is written. */
export interface ProgressDisplay {
  update(progress: PageProgress): void;
  end(): void;
}

/** A terminal is redrawn this often at most; a log gets a line this often. */
const redrawMs = 100;
const lineMs = 2_000;
const barWidth = 24;

/** A bar on a terminal, lines elsewhere. */
export function createProgress(terminal: Terminal): ProgressDisplay {
  const start = performance.now();
  const everyMs = terminal.isInteractive ? redrawMs : lineMs;
  let shownAt = terminal.isInteractive ? -Infinity : start;
  return {
    update(progress) {
      const now = performance.now();
      const isLast = progress.done === progress.total && terminal.isInteractive;
      if (now - shownAt < everyMs && !isLast) return;
      shownAt = now;
      if (terminal.isInteractive) redraw(terminal, progress, now - start);
      else
        terminal.note(
          `Rendering: ${formatNumber(progress.done)} of ${pluralize(progress.total, "page")}`,
        );
    },
    end() {
      if (terminal.isInteractive) terminal.draw("\r\u001B[2K");
    },
  };
}

function redraw(terminal: Terminal, { done, total }: PageProgress, elapsedMs: number): void {
  const filled = total === 0 ? barWidth : Math.floor((done / total) * barWidth);
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
  const line = `Rendering ${bar} ${formatNumber(done)}/${formatNumber(total)}${pace(done, total, elapsedMs)}`;
  terminal.draw(`\r\u001B[2K${line.slice(0, terminal.columns - 1)}`);
}

/** The first pages tell nothing: children are still starting. */
const leastMs = 500;

function pace(done: number, total: number, elapsedMs: number): string {
  if (done === 0 || elapsedMs < leastMs) return "";
  const perSecond = done / (elapsedMs / 1000);
  const left = ((total - done) / perSecond) * 1000;
  return `  ${formatNumber(Math.round(perSecond))} pages/s  ${formatDuration(left)} left`;
}
