import childProcess from "node:child_process";
import type { SpawnOptions } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
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
  return Reflect.apply(spawn, childProcess, [program, ...rest.map(withGate(rest))]);
} as typeof spawn;

/** A turn of an agent and git's launcher are processes of their own, which get none of the environment by themselves. */
function withGate([args]: readonly unknown[]): (argument: unknown) => unknown {
  const isOfService =
    Array.isArray(args) &&
    args.some((arg) =>
      /(?:isolation\/start|git\/program\/launcher-process)\.[jt]s$/.test(String(arg)),
    );
  return (argument) => {
    if (!isOfService || Array.isArray(argument)) return argument;
    const { env, ...options } = argument as SpawnOptions;
    const { NODE_OPTIONS, OCTAVO_TEST_GATE } = process.env;
    return { ...options, env: { ...env, NODE_OPTIONS, OCTAVO_TEST_GATE } };
  };
}

const { open, rename } = files;
files.open = async function openHeld(path, flags, mode) {
  const isEdit = String(path).includes(`${sep}checkout${sep}`) && isWriting(flags);
  if (!isEdit) return await open(path, flags, mode);
  await hold("edit.before", String(path));
  return holdAfterWriting(await open(path, flags, mode));
};

files.rename = async function renameHeld(from, to) {
  const [name, words] = describeRename(String(from), String(to));
  if (name !== undefined) await hold(`${name}.before`, words);
  await rename(from, to);
  if (name !== undefined) await hold(`${name}.after`, words);
};

syncBuiltinESMExports();

/** The step that ends with this rename, and what tells it from others. */
function describeRename(from: string, to: string): [name: string | undefined, words: string] {
  if (to.includes(join(sep, "storage", "repositories", sep))) return ["store", to];
  if (to.endsWith(`${sep}packed-refs`)) return ["place", `${to} ${readFileSync(from, "utf8")}`];
  return [undefined, ""];
}

function isWriting(flags: string | number | undefined): boolean {
  const { O_WRONLY, O_RDWR } = files.constants;
  return typeof flags === "number" && (flags & (O_WRONLY | O_RDWR)) !== 0;
}

function holdAfterWriting(handle: FileHandle): FileHandle {
  const write = handle.writeFile.bind(handle);
  handle.writeFile = async function writeHeld(...given) {
    await write(...given);
    await hold("edit.after", "");
  };
  return handle;
}

/** Until it is let go; most often the whole process is killed instead. */
async function hold(step: string, words: string): Promise<void> {
  const wanted = join(gate, step);
  if (!existsSync(wanted)) return;
  const [name = "", skipped, ...needed] = readFileSync(wanted, "utf8").trim().split(" ");
  if (!needed.every((word) => words.includes(word))) return;
  if (Number(skipped) > 0) {
    writeFileSync(wanted, [name, Number(skipped) - 1, ...needed].join(" "));
    return;
  }
  renameSync(wanted, join(gate, `${name}.reached`));
  while (!existsSync(join(gate, `${name}.go`))) await wait(20);
}
