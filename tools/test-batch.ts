import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { after, before, describe, it } from "node:test";

/** The progress of a process with several files. The runner reads it to find the files that did not finish. */
export interface BatchProgress {
  /** The file that is being loaded or run. */
  readonly file?: string;
  readonly ended: readonly string[];
}

export interface BatchOptions {
  readonly files: readonly string[];
  /** The path of the file to which the progress is written. */
  readonly progressFile: string;
  /** The time limit for one file, after which the next file runs. */
  readonly fileTimeoutMs: number;
}

/**
 * Runs test files one after the other in this process. Each file is a separate suite, so that its top-level hooks apply
 * only to its own tests. All files are loaded synchronously before the first test runs, so that Node's test runner
 * assigns each test to the right suite. Therefore, neither such a file nor the modules that it imports may use
 * top-level `await`.
 */
export function runBatch(options: BatchOptions): void {
  const { files, progressFile, fileTimeoutMs } = options;
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
}

/** Loads a file. If loading fails, adds a failing test, because Node does not count suites. */
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
