import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { after, before, describe, it } from "node:test";

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
}

/**
 * Runs test files one after the other in this process. Each is a suite of its own, so that hooks at its top are
 * those of its tests alone. They are loaded before the first test runs, without a break in between: node's test
 * runner then knows which suite a test belongs to. So neither such a file nor what it imports may await at its top.
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
