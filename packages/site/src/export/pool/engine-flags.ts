import { setFlagsFromString } from "node:v8";

/**
 * Configures V8 for a process that renders one site, however long that takes. Call it after this library is loaded,
 * because compiled code is cached for the flags it was compiled with. Call the returned function on each progress
 * event.
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

/** After this many pages optimizing a process pays off: it is likely to render as many more. */
export const longRunPages = 400;

/**
 * Makes V8 optimize less and later. Most optimized code of a short process is not used for long enough: this saves 0.5
 * s of 3 s of CPU on a site of 340 pages, 0.1 s of 1.5 s when a site of 3,400 pages is exported again.
 */
export function tuneForShortRun(): void {
  setFlagsFromString("--battery-saver-mode");
  setFlagsFromString("--invocation-count-for-maglev=2000");
}

/**
 * Makes V8 compile a function immediately on its first call, without optimizing it, instead of interpreting it for some
 * hundred calls: a child calls most of its functions for every page. Saves 4 % of the CPU of 340 pages.
 */
export function compileAtFirstCall(): void {
  setFlagsFromString("--always-sparkplug");
}

/** Restores V8's defaults, for a long-running process: they save 1 s of 17 s of CPU on 3,400 pages. */
export function tuneForLongRun(): void {
  setFlagsFromString("--no-battery-saver-mode");
  setFlagsFromString("--invocation-count-for-maglev=400");
}

/** Keeps the young generation at its size: in a new child, more memory costs more than it saves. */
export function fixYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Restores V8's default. */
export function growYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}

/**
 * Makes V8 collect the heap only after it has grown to four times its size, V8's own maximum: saves 0.2 s of 17 s of
 * CPU.
 */
function raiseHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=300");
}

/**
 * Counts buffers toward the heap's limit. Otherwise V8 collects its whole heap each time buffers have grown by some
 * megabytes, as those of rendered pages do: 28 times on 3,400 pages. Waiting saves 0.8 s of 18 s of CPU; an export that
 * renders few pages again would need a tenth more.
 */
function countBuffersInHeapLimit(): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
}
