import { formatCount, formatNumber } from "../../core/index.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import type { CheckedPage, ExportSettings, RenderResult } from "@octavo/site";
import type { CommandContext } from "../context.ts";
import { formatDuration } from "../format.ts";
import type { Terminal } from "../terminal.ts";

interface PageProgress {
  readonly done: number;
  readonly total: number;
}

/** Shows the progress of rendering. Call `end` before anything else is written. */
interface ProgressDisplay {
  update(progress: PageProgress): void;
  end(): void;
}

/** The minimum time between two updates on a terminal, where they replace each other. */
const redrawIntervalMs = 100;

/** The time before the first line in a log, and between lines. Lines in a log remain, so short work writes no lines. */
const logIntervalMs = 10_000;
const barWidth = 24;

/**
 * The minimum time before the pace is shown. The first pages are not representative, because child processes are still
 * starting.
 */
const minElapsedMs = 500;

/**
 * Renders and checks a site and shows the progress. `onPages` receives the checked pages and must read everything it
 * needs before it returns. Throws `cancelled` if the user interrupts the command.
 */
export async function renderWithProgress(
  context: CommandContext,
  settings: ExportSettings,
  onPages?: (pages: readonly CheckedPage[]) => void,
): Promise<RenderResult> {
  const signal = context.listenForInterruption();
  const progress = createProgress(context.terminal);
  const isPartial = settings.paths !== undefined;
  // The module is loaded here so that commands that do not render do not wait for the library (0.1 s).
  const library = await import("@octavo/site");
  const tune = library.tuneForRendering();
  try {
    return await library.renderSite({
      ...settings,
      check(site, pages) {
        onPages?.(pages);
        return library.checkSite(site, pages, { isPart: isPartial });
      },
      // Links to omitted pages are not checked.
      checkName: isPartial ? undefined : "site",
      onProgress(state) {
        tune(state);
        progress.update(state);
      },
      signal,
    });
  } catch (cause) {
    if (signal.aborted) throw new OctavoError("cancelled", "Interrupted.", { cause });
    throw cause;
  } finally {
    progress.end();
  }
}

/** Creates a temporary folder that is removed when it is disposed, even after an interruption. */
export async function openScratchFolder(
  context: CommandContext,
): Promise<AsyncDisposable & { readonly path: string }> {
  // After this call, the first signal does not end the process, so the folder is always removed.
  context.listenForInterruption();
  const path = await mkdtemp(join(tmpdir(), "octavo-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Creates a display that draws a progress bar on a terminal and prints lines elsewhere. */
export function createProgress(
  terminal: Terminal,
  getTimeMs = () => performance.now(),
): ProgressDisplay {
  const start = getTimeMs();
  const intervalMs = terminal.isInteractive ? redrawIntervalMs : logIntervalMs;
  let shownAt = terminal.isInteractive ? -Infinity : start;
  return {
    update(progress) {
      const now = getTimeMs();
      const isLast = progress.done === progress.total && terminal.isInteractive;
      if (now - shownAt < intervalMs && !isLast) return;
      shownAt = now;
      if (terminal.isInteractive) drawProgress(terminal, progress, now - start);
      else
        terminal.note(
          `Rendering: ${formatNumber(progress.done)} of ${formatCount(progress.total, "page")}`,
        );
    },
    end() {
      if (terminal.isInteractive) terminal.draw("\r\u001B[2K");
    },
  };
}

function drawProgress(terminal: Terminal, { done, total }: PageProgress, elapsedMs: number): void {
  const filled = total === 0 ? barWidth : Math.floor((done / total) * barWidth);
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
  const line = `Rendering ${bar} ${formatNumber(done)}/${formatNumber(total)}${formatPace(done, total, elapsedMs)}`;
  terminal.draw(`\r\u001B[2K${line.slice(0, terminal.columns - 1)}`);
}

function formatPace(done: number, total: number, elapsedMs: number): string {
  if (done === 0 || elapsedMs < minElapsedMs) return "";
  const perSecond = done / (elapsedMs / 1000);
  const remainingMs = ((total - done) / perSecond) * 1000;
  return `  ${formatNumber(Math.round(perSecond))} pages/s  ${formatDuration(remainingMs)} left`;
}
