import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { Worker } from "node:worker_threads";

/** The progress of a process with several files; the runner reads it if the process ended too early. */
export interface BatchProgress {
  /** The file that is loaded or runs. */
  readonly file?: string;
  readonly ended: readonly string[];
}

export interface BatchOptions {
  readonly files: readonly string[];
  /** Where the progress is written. */
  readonly progressFile: string;
  /** The limit for one file; then the next one runs. */
  readonly fileTimeoutMs: number;
  /** The limit for the process; one in an endless loop does not handle signals. */
  readonly timeoutMs: number;
  /** How long the leftovers of tests may keep the process running. */
  readonly lingerMs: number;
}

/**
 * Runs test files one after the other in this process. Each is a suite of its own, so that hooks at its top are
 * those of its tests alone. They are loaded before the first test runs, without a break in between: node's test
 * runner then knows which suite a test belongs to. So neither such a file nor what it imports may await at its top.
 */
export function runBatch(options: BatchOptions): void {
  const { files, progressFile, fileTimeoutMs, timeoutMs, lingerMs } = options;
  killAfter(timeoutMs);
  const ended: string[] = [];
  const note = (file?: string): void => {
    const progress: BatchProgress = file === undefined ? { ended } : { file, ended };
    writeFileSync(progressFile, JSON.stringify(progress));
  };
  for (const file of files) {
    describe(file, { timeout: fileTimeoutMs }, () => {
      note(file);
      let environment: NodeJS.ProcessEnv = {};
      before(() => {
        note(file);
        environment = { ...process.env };
      });
      load(file);
      after(() => {
        restoreEnvironment(environment);
        ended.push(file);
        note();
      });
    });
  }
  after(() => {
    setTimeout(failToEnd, lingerMs).unref();
  });
}

function killAfter(ms: number): void {
  const program = `setTimeout(() => process.kill(${process.pid}, "SIGKILL"), ${ms})`;
  new Worker(program, { eval: true }).unref();
}

/** A file that does not load is a test that fails: node counts no suites. */
function load(file: string): void {
  try {
    createRequire(import.meta.url)(resolve(file));
  } catch (error) {
    it("loads", () => {
      throw error;
    });
  }
}

function restoreEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) {
    if (environment[name] === undefined) delete process.env[name];
  }
  Object.assign(process.env, environment);
}

/** The timer alone would not keep the process: something else does. */
function failToEnd(): void {
  const resources = process.getActiveResourcesInfo().join(", ");
  process.stderr.write(
    `All tests have ended, but this keeps their process running: ${resources}.\n`,
  );
  process.exit(1);
}
