/**
 * `npm test` runs the quick test files, and `npm run test:full` (`--full`) runs all test files. With arguments, either
 * command runs only the named files. The name of a file determines its kind (`test-kinds.ts`). Most quick files share
 * processes, and each other file has its own process. Up to four processes run at a time. If all files run, the program
 * that they start is first built in its installed form, which takes half as much CPU to start as its sources. Temporary
 * files are in memory if there is enough, because creating and removing them on a disk takes a tenth of the time.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runTestFiles } from "./run-test-files.ts";
import { testKindOf } from "./test-kinds.ts";

/** The patterns of all test files. Slow files come first, so that no file runs alone at the end. */
const everything = [
  "test/**/*.test.ts",
  "packages/octavo/src/{jobs,cli,dashboard,agent}/**/*.test.ts",
  "packages/*/src/**/*.test.ts",
  "{bench,tools}/**/*.test.ts",
];
/** The folder in which Linux stores files in memory. */
const memory = "/dev/shm";
const folderName = "octavo-tests-";
/**
 * The minimum free space in that folder and the minimum available memory, in bytes. Tests use up to 450 MB in the
 * folder at a time and 140 MB for exports, and their processes also need memory.
 */
const roomBytes = 2 * 1024 ** 3;
const memoryBytes = 8 * 1024 ** 3;

/**
 * Creates a folder in memory. Returns undefined if that is not available, too small, or does not allow running
 * programs.
 */
function makeFolderInMemory(): string | undefined {
  const folder = join(memory, `${folderName}${process.pid}`);
  try {
    removeFoldersOfTheDead();
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < roomBytes || process.availableMemory() < memoryBytes) return undefined;
    mkdirSync(folder, { mode: 0o755 });
    // Running a program must be possible, because a browser is unpacked in the folder.
    writeFileSync(join(folder, "program"), "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(join(folder, "program"));
    return folder;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
}

/** Removes the folders of runs that were killed, or that failed and left their files for inspection. */
function removeFoldersOfTheDead(): void {
  for (const name of readdirSync(memory)) {
    if (!name.startsWith(folderName) || isRunning(Number(name.slice(folderName.length)))) continue;
    rmSync(join(memory, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Builds the program in its installed form, so that `bin/octavo.js` does not find sources next to it, and returns its
 * path.
 */
function buildProgram(): string {
  const build = join(import.meta.dirname, "build/main.ts");
  execFileSync(process.execPath, [...process.execArgv, build, "--if-changed"], {
    stdio: "inherit",
  });
  const packed = join(import.meta.dirname, "../packages/octavo");
  const folder = join(import.meta.dirname, "../node_modules/.cache/octavo/program");
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(packed, "bin"), join(folder, "bin"), { recursive: true });
  for (const name of ["dist", "package.json"]) symlinkSync(join(packed, name), join(folder, name));
  return join(folder, "bin/octavo.js");
}

/**
 * Returns the test files that match the patterns. Without patterns, returns all files if `isFull` is set, or else only
 * the quick files.
 */
function findFiles(patterns: readonly string[], isFull: boolean): readonly string[] {
  const isNamed = patterns.length > 0;
  const found = (isNamed ? patterns : everything).flatMap((pattern) =>
    globSync(pattern, { exclude: ["**/node_modules/**"] }).toSorted(),
  );
  const kinds = new Map(found.map((file) => [file, testKindOf(file)]));
  return [...kinds].filter(([, kind]) => isNamed || isFull || kind.isQuick).map(([file]) => file);
}

const { values, positionals } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    // Options for long runs: `whole` runs all cases instead of a sample, `rounds` sets the number of repetitions, and
    // `serial` runs one file at a time.
    whole: { type: "boolean", default: false },
    rounds: { type: "string" },
    serial: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
if (values.whole) process.env["OCTAVO_TEST_ALL"] = "1";
if (values.rounds !== undefined) process.env["OCTAVO_TEST_ROUNDS"] = values.rounds;
const files = findFiles(positionals, values.full);
if (values.full && positionals.length === 0) {
  process.env["OCTAVO_TEST_PROGRAM"] ??= buildProgram();
}
// The cache is on the disk, so that later runs can use it.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "node-compile-cache");
const folder = values.whole ? undefined : makeFolderInMemory();
if (folder !== undefined) process.env["TMPDIR"] = folder;
// A site that several files inspect is exported once, by `test/support/exported-site.ts`.
const exportsFolder = mkdtempSync(join(folder ?? tmpdir(), "octavo-exports-"));
process.env["OCTAVO_TEST_EXPORTS"] = exportsFolder;
const isGood = await runTestFiles(files, {
  output: process.stdout,
  ...(values.whole && { timeoutMs: 2 * 60 * 60_000 }),
  ...(values.serial && { concurrency: 1 }),
});
process.exitCode = isGood ? 0 : 1;
rmSync(exportsFolder, { recursive: true, force: true });
if (folder !== undefined && isGood) rmSync(folder, { recursive: true, force: true });
else if (folder !== undefined) {
  process.stderr.write(`The files that the tests left are in ${folder} until the next run.\n`);
}
