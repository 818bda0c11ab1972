/**
 * `npm test` runs the quick test files, `npm run test:full` (`--full`) all of them, and with arguments either runs the
 * files that they name. What a file is its name says (`test-kinds.ts`): quick ones share processes, each of the others
 * has its own, four processes at a time. Where all of them run, the program that they start is built first, and as it
 * is installed: it starts with half the CPU that its sources take. Their temporary files lie in memory where there is
 * room: on a disk, making and removing them is a tenth of the work.
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

/** The patterns of all test files. Slow ones come first, so that no file runs alone at the end. */
const everything = [
  "test/**/*.test.ts",
  "packages/octavo/src/{jobs,cli,dashboard,agent}/**/*.test.ts",
  "packages/*/src/**/*.test.ts",
  "{bench,tools}/**/*.test.ts",
];
/** Where Linux keeps files in memory. */
const memory = "/dev/shm";
const folderName = "octavo-tests-";
/** Tests were measured to use 450 MB there at a time, and 140 MB of exports. They also need memory for themselves. */
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
    // A browser is unpacked there.
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

/** Writes the program as it is installed, so that `bin/octavo.js` does not find sources beside it. */
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

/** Those whose names match the patterns, or all; of all of them only the quick ones, unless `isFull`. */
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
    // Long runs: the named files do all that they can instead of a sample, so many times, one file after the other.
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
// Stays from run to run, so on the disk.
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
  process.stderr.write(`What the tests left lies in ${folder} until the next run.\n`);
}
