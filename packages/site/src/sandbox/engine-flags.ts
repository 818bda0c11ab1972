import { setFlagsFromString } from "node:v8";

/**
 * Configures V8 for a process that renders one site, however long that takes. Call it after this library is loaded,
 * because cached compiled code is valid only for the flags with which it was compiled. Call the returned function on
 * each progress event.
 */
export function tuneForRendering(): (progress: { readonly rendered: number }) => void {
  tuneForShortRun();
  raiseHeapGrowth();
  return ({ rendered }) => {
    if (rendered !== longRunPages) return;
    tuneForLongRun();
    countBuffersInHeapLimit();
  };
}

/**
 * Configures V8 for a new child. Call it after the child's program is loaded, because cached code is valid only for the
 * flags with which it was compiled.
 */
export function tuneNewChild(): void {
  tuneForShortRun();
  compileAtFirstCall();
  fixYoungGeneration();
}

/** Configures V8 for a child that has rendered `longRunPages` pages. */
export function tuneBusyChild(): void {
  tuneForLongRun();
  growYoungGeneration();
}

/** The number of pages after which optimization pays off, because the process is likely to render as many again. */
export const longRunPages = 400;

/**
 * Makes V8 optimize less and later, because a short process does not use most optimized code for long enough. This
 * saves 0.5 s of 3 s of CPU on a site of 340 pages, and 0.1 s of 1.5 s when a site of 3,400 pages is exported again.
 */
function tuneForShortRun(): void {
  setFlagsFromString("--battery-saver-mode");
  setFlagsFromString("--invocation-count-for-maglev=2000");
}

/**
 * Makes V8 compile a function on its first call, without optimizing it, instead of interpreting it for a few hundred
 * calls, because a child calls most of its functions for every page. Saves 4 % of the CPU time for 340 pages.
 */
function compileAtFirstCall(): void {
  setFlagsFromString("--always-sparkplug");
}

/** Restores V8's defaults for a long-running process, where they save 1 s of 17 s of CPU on 3,400 pages. */
function tuneForLongRun(): void {
  setFlagsFromString("--no-battery-saver-mode");
  setFlagsFromString("--invocation-count-for-maglev=400");
}

/** Keeps the young generation at its initial size: in a new child, growing it costs more than it saves. */
function fixYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Lets the young generation grow again, which is V8's default. */
function growYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}

/**
 * Makes V8 collect the heap only after it has grown to four times its size, the maximum that V8 supports. Saves 0.2 s
 * of 17 s of CPU.
 */
function raiseHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=300");
}

/**
 * Counts buffers toward the heap's limit. Otherwise V8 collects its whole heap each time that buffers have grown by a
 * few megabytes, as those of rendered pages do: 28 times on 3,400 pages. This saves 0.8 s of 18 s of CPU, but would add
 * a tenth to an export that renders only a few pages again.
 */
function countBuffersInHeapLimit(): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
}
