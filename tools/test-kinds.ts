import { basename } from "node:path";

/** The kind of a test file, which its name determines, e.g. `queue.postgres.test.ts` or `queue.test.ts`. */
export interface TestKind {
  /** Whether the file runs in `npm test`. Other files run only in `npm run test:full` and by name. */
  readonly isQuick: boolean;
  /** Whether the file may run in one process with other files, one after the other. */
  readonly sharesProcess: boolean;
}

const slow: TestKind = { isQuick: false, sharesProcess: false };

/** The kinds by the word before `.test.ts`; the empty word stands for files without such a word. */
export const testKinds: ReadonlyMap<string, TestKind> = new Map([
  ["", { isQuick: true, sharesProcess: true }],
  /** Kills processes, cuts connections, or uses random inputs or extreme sizes. */
  ["stress", slow],
  /** Needs Chromium. */
  ["browser", slow],
  /** Needs PostgreSQL. */
  ["postgres", slow],
  /** Starts the service or another program as a process. */
  ["service", slow],
]);

/**
 * Returns the kind of a file. Throws if the name contains a word that is not a kind, so that a typo does not exclude a
 * file.
 */
export function testKindOf(file: string): TestKind {
  const match = /^[^.]+(?:\.(.+))?\.test\.ts$/.exec(basename(file));
  const word = match?.[1] ?? "";
  const kind = match ? testKinds.get(word) : undefined;
  if (kind !== undefined) return kind;
  const words = [...testKinds.keys()].filter((name) => name !== "").join(", ");
  throw new Error(`${file} does not name a test kind: "${word}" is not one of ${words}.`);
}

/**
 * The maximum number of files in one process: enough to avoid most process starts, but few enough that several
 * processes share the work.
 */
const maxBatchFiles = 24;

/**
 * Tests of whole services, databases and git leave connections, timers and processes behind. Such a file can wait
 * forever in a process with other files.
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
