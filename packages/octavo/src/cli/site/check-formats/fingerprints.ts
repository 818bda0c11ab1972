import type { Problem } from "@octavo/site/core";
import { hashParts } from "@octavo/site/core";

/**
 * A name for each problem, in their order. It stays the same while lines move, so that a code host can tell a new
 * problem from one that was there before; equal problems of a file are numbered.
 */
export function fingerprints(problems: readonly Problem[]): string[] {
  const counts = new Map<string, number>();
  return problems.map(({ file, code, message }) => {
    const subject = hashParts([file, code, message]);
    const count = counts.get(subject) ?? 0;
    counts.set(subject, count + 1);
    return hashParts([subject, String(count)]).slice(0, 40);
  });
}
