import { basename } from "node:path";

/**
 * The runner's knowledge of a test file. The file name gives the kind: `queue.postgres.test.ts`, or `queue.test.ts`.
 */
export interface TestKind {
  /** Runs in `npm test`; the others run in `npm run test:full` and by name. */
  readonly isQuick: boolean;
  /** Runs in one process with others, one file after the other. */
  readonly sharesProcess: boolean;
}

const slow: TestKind = { isQuick: false, sharesProcess: false };

/** The kinds by the word before `.test.ts`; the empty word stands for files without such a word. */
export const testKinds: ReadonlyMap<string, TestKind> = new Map([
  ["", { isQuick: true, sharesProcess: true }],
  /** Kills, cuts, random inputs, or sizes at which something breaks. */
  ["stress", slow],
  /** Needs Chromium. */
  ["browser", slow],
  /** Needs PostgreSQL. */
  ["postgres", slow],
  /** Starts the service or another program as a process. */
  ["service", slow],
]);

/** Throws if the name has a word that is not a kind, so that a typo does not exclude a file. */
export function testKindOf(file: string): TestKind {
  const match = /^[^.]+(?:\.(.+))?\.test\.ts$/.exec(basename(file));
  const word = match?.[1] ?? "";
  const kind = match ? testKinds.get(word) : undefined;
  if (kind !== undefined) return kind;
  const words = [...testKinds.keys()].filter((name) => name !== "").join(", ");
  throw new Error(`${file} names no kind of test: "${word}" is none of ${words}.`);
}

/** Files that run in one process. Enough to save most of the starts, and few enough to run side by side. */
const maxBatchFiles = 24;

/**
 * Tests of whole services, databases and git leave connections, timers and processes behind; in a process with others
 * such a file was seen to wait forever.
 */
const needsOwnProcess =
  /(?:^|\/)test\/|\/octavo\/src\/(?!(?:core|config|recipes|model|telemetry|net)\/)/;

function sharesProcess(file: string): boolean {
  return testKindOf(file).sharesProcess && !needsOwnProcess.test(file);
}

/** Divides files into those that share processes, room by room as they are sorted, and those that run alone. */
export function planProcesses(files: readonly string[]): readonly (readonly string[])[] {
  const sharing = files.filter(sharesProcess);
  const alone = files.filter((file) => !sharesProcess(file));
  const count = Math.ceil(sharing.length / maxBatchFiles);
  const size = Math.ceil(sharing.length / Math.max(count, 1));
  const batches = Array.from({ length: count }, (_, index) =>
    sharing.slice(index * size, (index + 1) * size),
  );
  return [...alone.map((file) => [file]), ...batches];
}
