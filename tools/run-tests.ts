/**
 * `npm test`: runs every test file, or those that the arguments name. Each has a process of its own, four at a
 * time. Where all of them run, the program that they start is built first, and as it is installed: it starts with half
 * the CPU that its sources take. Their temporary files lie in memory where there is room: on a disk, making and removing them is a
 * tenth of the work.
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
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";

/** What takes long comes first, so that no file runs alone at the end. */
const everything = [
  "test/**/*.test.ts",
  "packages/octavo/src/{jobs,cli,dashboard,agent}/**/*.test.ts",
  "packages/*/src/**/*.test.ts",
  "{bench,tools}/**/*.test.ts",
];
/** Two more than two cores: jobs wait for turns of queues, browsers for pages, and hold a place while they do. */
const concurrency = 4;
/** Of one file. The longest takes three minutes of CPU, and shares two cores with three others. */
const timeoutMs = 1_800_000;

/** Where Linux keeps files in memory. */
const memory = "/dev/shm";
const folderName = "octavo-tests-";
/** The tests were seen to have 450 MB there at a time, and 140 MB of exports; and they need memory for themselves. */
const roomBytes = 2 * 1024 ** 3;
const memoryBytes = 8 * 1024 ** 3;

/** A new folder in memory; undefined where there is none, no room in it, or no program may be run from it. */
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

/** Of runs that were killed, or failed and left what there is to see. */
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

/** Lays it out as it is installed: `bin/octavo.js` finds no sources beside it. */
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

async function runTests(files: readonly string[]): Promise<boolean> {
  let isGood = files.length > 0;
  const events = run({ files, concurrency, timeout: timeoutMs });
  events.on("test:summary", ({ success }) => {
    isGood &&= success;
  });
  await pipeline(events, new spec(), process.stdout, { end: false });
  return isGood;
}

const named = process.argv.slice(2);
const patterns = named.length > 0 ? named : everything;
if (named.length === 0) process.env["OCTAVO_TEST_PROGRAM"] ??= buildProgram();
const files = new Set(patterns.flatMap((pattern) => globSync(pattern).toSorted()));
// Stays from run to run, so on the disk.
process.env["NODE_COMPILE_CACHE"] ??= join(tmpdir(), "node-compile-cache");
const folder = makeFolderInMemory();
if (folder !== undefined) process.env["TMPDIR"] = folder;
// What several files look at is exported once; `test/support/exported-site.ts` does it.
const exportsFolder = mkdtempSync(join(folder ?? tmpdir(), "octavo-exports-"));
process.env["OCTAVO_TEST_EXPORTS"] = exportsFolder;
const isGood = await runTests([...files]);
process.exitCode = isGood ? 0 : 1;
rmSync(exportsFolder, { recursive: true, force: true });
if (folder !== undefined && isGood) rmSync(folder, { recursive: true, force: true });
else if (folder !== undefined) {
  process.stdout.write(`What the tests left lies in ${folder} until the next run.\n`);
}
