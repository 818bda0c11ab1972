import childProcess from "node:child_process";
import { existsSync, readFileSync, renameSync } from "node:fs";
import files from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join, sep } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Loaded into a service before its own code; `step-gate.ts` says what for. */
const gate = process.env["OCTAVO_TEST_GATE"] ?? "";

const { spawn } = childProcess;
childProcess.spawn = function spawnThrough(command: string, ...rest: unknown[]) {
  const program = command === "git" ? join(gate, "git") : command;
  return Reflect.apply(spawn, childProcess, [program, ...rest]);
} as typeof spawn;

const { open } = files;
files.open = async function openHeld(path, flags, mode) {
  const isEdit = String(path).includes(`${sep}checkout${sep}`) && isWriting(flags);
  if (!isEdit) return await open(path, flags, mode);
  await hold("edit.before");
  return holdAfterWriting(await open(path, flags, mode));
};

syncBuiltinESMExports();

function isWriting(flags: string | number | undefined): boolean {
  const { O_WRONLY, O_RDWR } = files.constants;
  return typeof flags === "number" && (flags & (O_WRONLY | O_RDWR)) !== 0;
}

function holdAfterWriting(handle: FileHandle): FileHandle {
  const write = handle.writeFile.bind(handle);
  handle.writeFile = async function writeHeld(...given) {
    await write(...given);
    await hold("edit.after");
  };
  return handle;
}

/** Until it is let go; most often the whole process is killed instead. */
async function hold(step: string): Promise<void> {
  const wanted = join(gate, step);
  if (!existsSync(wanted)) return;
  const [name = ""] = readFileSync(wanted, "utf8").split(" ");
  renameSync(wanted, join(gate, `${name}.reached`));
  while (!existsSync(join(gate, `${name}.go`))) await wait(20);
}
