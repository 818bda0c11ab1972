import { setFlagsFromString } from "node:v8";

/**
 * V8 optimizes less, and later: 0.5 s of CPU less of 3 on a site of 340 pages. Its compiler works in threads
 * of its own, and most of what it makes then is not used for long enough.
 */
export function optimizeLittle(): void {
  setFlagsFromString("--battery-saver-mode");
  setFlagsFromString("--invocation-count-for-maglev=2000");
  // No growing of the young generation: memory that is new costs more than it saves so soon.
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** As it does by default: for a child that goes on, 1 s less of 17 on 3,400 pages. */
export function optimizeAsUsual(): void {
  setFlagsFromString("--no-battery-saver-mode");
  setFlagsFromString("--invocation-count-for-maglev=400");
  setFlagsFromString("--semi-space-growth-factor=2");
}
