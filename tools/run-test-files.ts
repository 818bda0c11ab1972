import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import type { EventData } from "node:test";
import { spec } from "node:test/reporters";
import type { TestEvent } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import type { BatchOptions, BatchProgress } from "./test-batch.ts";
import { planProcesses } from "./test-kinds.ts";

export interface RunOptions {
  readonly output: Writable;
  /**
   * The time limit for a process. The longest process takes three minutes of CPU, and shares two cores with three other
   * processes.
   */
  readonly timeoutMs?: number;
  /**
   * The time limit for a file that shares its process. Both limits are shorter than the limit of `.ci/run`, so that the
   * output identifies the file that hangs.
   */
  readonly fileTimeoutMs?: number;
  /** The maximum time for which resources that tests left open may keep their process running. */
  readonly lingerMs?: number;
  /** The number of concurrent processes. Defaults to 4 for 2 cores, because jobs and browsers often only wait. */
  readonly concurrency?: number;
}

interface Batch {
  readonly files: readonly string[];
  /** The program that Node starts to run the files. */
  readonly entry: string;
  readonly progressFile: string;
}

/**
 * Runs test files according to their kinds and writes the results, with Node's summary last. Returns whether all tests
 * passed. A file that did not finish counts as a failed test with the file's name.
 */
export async function runTestFiles(
  files: readonly string[],
  options: RunOptions,
): Promise<boolean> {
  const { output, timeoutMs = 1_500_000, fileTimeoutMs = 600_000, lingerMs = 60_000 } = options;
  const { concurrency = 4 } = options;
  const folder = mkdtempSync(join(tmpdir(), "octavo-batches-"));
  const batches: Batch[] = [];
  const entries = planProcesses(files).map((group) => {
    const [only = ""] = group;
    if (group.length === 1) return only;
    const name = join(folder, `batch-${batches.length + 1}`);
    const batch = { files: group, entry: `${name}.mjs`, progressFile: `${name}.json` };
    batches.push(batch);
    writeEntry({ ...batch, fileTimeoutMs });
    return batch.entry;
  });
  let isGood = files.length > 0;
  const limiter = pathToFileURL(join(import.meta.dirname, "limit-process.ts"));
  limiter.search = `runner=${process.pid}&timeoutMs=${timeoutMs}&lingerMs=${lingerMs}`;
  const events = run({ files: entries, concurrency, execArgv: [`--import=${limiter.href}`] });
  events.on("test:summary", ({ success }) => {
    isGood &&= success;
  });
  const nameThem = (source: AsyncIterable<TestEvent>) => nameFiles(source, batches);
  await pipeline(events, nameThem, new spec(), output, { end: false });
  rmSync(folder, { recursive: true, force: true });
  return isGood;
}

function writeEntry({ entry, ...options }: BatchOptions & { readonly entry: string }): void {
  const runner = pathToFileURL(join(import.meta.dirname, "test-batch.ts")).href;
  writeFileSync(
    entry,
    `import { runBatch } from ${JSON.stringify(runner)};\nrunBatch(${JSON.stringify(options)});\n`,
  );
}

/**
 * Passes on events, but replaces the events of a process that ran several files with events of these files. Before the
 * final counts, reports each file that did not finish as a failed test. A process that failed after its last file is
 * named after all of its files.
 */
async function* nameFiles(
  events: AsyncIterable<TestEvent>,
  batches: readonly Batch[],
): AsyncGenerator<TestEvent> {
  const failures: TestEvent[] = [];
  for await (const event of events) {
    const batch = findBatch(event, batches);
    if (batch === undefined) {
      // Node reports the tests of a process in order, but reports the end of the process immediately.
      if (event.type === "test:plan" && event.data.nesting === 0) yield* failures;
      yield event;
      continue;
    }
    const progress = readProgress(batch);
    const name = batch.files.join(", ");
    const missing = batch.files.filter((file) => !progress.ended.includes(file));
    if (event.type === "test:complete" && !event.data.details.passed) {
      failures.push(...failuresOf(missing, progress, event.data));
    }
    if (missing.length > 0) continue;
    if (event.type === "test:start") yield { ...event, data: { ...event.data, name } };
    if (event.type === "test:fail") yield { ...event, data: { ...event.data, name } };
  }
}

/** Returns the batch whose process an event concerns. */
function findBatch({ data }: TestEvent, batches: readonly Batch[]): Batch | undefined {
  if (data === undefined || !("name" in data)) return undefined;
  return batches.find(({ entry }) => entry === data.name);
}

function failuresOf(
  missing: readonly string[],
  { file: stopped = "its beginning" }: BatchProgress,
  { details, ...end }: EventData.TestComplete,
): readonly TestEvent[] {
  const cause = details.error ?? new Error("The process did not report why it ended.");
  return missing.flatMap((name): readonly TestEvent[] => {
    const words =
      name === stopped
        ? "Its process ended in it."
        : `It did not run: its process ended in ${stopped}.`;
    const error = Object.assign(new Error(words), { cause });
    return [
      { type: "test:start", data: { ...end, name } },
      { type: "test:fail", data: { ...end, name, details: { ...details, error } } },
    ];
  });
}

function readProgress({ progressFile }: Batch): BatchProgress {
  try {
    return JSON.parse(readFileSync(progressFile, "utf8")) as BatchProgress;
  } catch {
    return { ended: [] };
  }
}
