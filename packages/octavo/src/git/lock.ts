import { randomUUID } from "node:crypto";
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { OctavoError } from "@octavo/site/core";

const pollMs = 100;
/** The holder touches its file this often, ... */
const beatMs = 5_000;
/** ... so that one which has been still for longer belongs to a process that is no more. */
const staleMs = 60_000;

interface Holder {
  readonly token: string;
  readonly host: string;
  readonly pid: number;
}

/**
 * Lets one caller at a time, of all processes that see `file`, go on; dispose of the result to let the
 * next one. A lock whose holder died is taken over. Throws `cancelled` when `signal` is aborted.
 */
export async function acquireLock(file: string, signal?: AbortSignal): Promise<AsyncDisposable> {
  const holder: Holder = { token: randomUUID(), host: hostname(), pid: process.pid };
  while (!(await create(file, holder))) {
    if (!(await isAbandoned(file)) || !(await removeAbandoned(file, holder))) await pause(signal);
  }
  const beat = setInterval(() => void touch(file), beatMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      const current = await readHolder(file);
      if (current?.token === holder.token) await rm(file, { force: true });
    },
  };
}

/**
 * Removes a dead lock, one caller at a time: who only looked before it might remove the lock of the one that took
 * it over since. False where another is at it.
 */
async function removeAbandoned(file: string, holder: Holder): Promise<boolean> {
  const removal = `${file}.removal`;
  if (!(await create(removal, holder))) {
    // Who was killed at it, in a millisecond, stands in nobody's way.
    if (await isAbandoned(removal)) await rm(removal, { force: true });
    return false;
  }
  if (await isAbandoned(file)) await rm(file, { force: true });
  await rm(removal, { force: true });
  return true;
}

async function create(file: string, holder: Holder): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(holder), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Whether a lock is held by a process that is no more; false also where there is none. */
export async function isAbandoned(file: string): Promise<boolean> {
  const holder = await readHolder(file);
  if (holder?.host === hostname() && !isAlive(holder.pid)) return true;
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}

/** Undefined where the file is gone, or was made and not yet written. */
async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  // Somebody took the lock over, or removed the folder: the holder goes on, and finds out by git.
  await utimes(file, now, now).catch(() => undefined);
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(pollMs, undefined, signal ? { signal } : {});
  } catch (cause) {
    throw new OctavoError("cancelled", "Cancelled while waiting for the repository.", { cause });
  }
}
