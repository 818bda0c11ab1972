import { availableParallelism } from "node:os";

const maxChildren = 8;
/**
 * A child needs about 1 s of CPU to load its grammars and be optimized, as much as some 400 pages take after that: a
 * small site is cheaper with one child, and hardly slower.
 */
const pagesPerChild = 400;

/** As many children as the machine has cores. */
export function defaultPoolSize(): number {
  return Math.min(maxChildren, availableParallelism());
}

/**
 * One core is left to the parent, which reads and writes what the children work on. On two cores a second child makes
 * 3,400 pages cost a third more CPU, most of it in the kernel, and saves no time.
 */
export function poolSizeFor(pages: number): number {
  const free = Math.max(1, availableParallelism() - 1);
  return Math.min(free, maxChildren, 1 + Math.floor(pages / pagesPerChild));
}
