import { randomUUID } from "node:crypto";
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { OctavoError } from "@octavo/site/core";

const pollMs = 100;
/** The interval at which the holder touches its file. */
const heartbeatMs = 5_000;
/** A file that was not touched for this long belongs to a dead process. */
const staleMs = 60_000;

interface Holder {
  readonly token: string;
  readonly host: string;
  readonly pid: number;
  /** When the process began, as it reports itself: in a container, each start has the same process ID. */
  readonly startedAt: number;
}

/**
 * Acquires an exclusive lock among all processes that see `file`; dispose of the result to release it. Takes over the
 * lock of a dead holder. Throws `cancelled` when `signal` is aborted.
 */
export async function acquireLock(file: string, signal?: AbortSignal): Promise<AsyncDisposable> {
  const holder = describeThisProcess();
  while (!(await create(file, holder))) {
    if (!(await isAbandoned(file)) || !(await removeAbandoned(file, holder))) await pause(signal);
  }
  const beat = setInterval(() => void touch(file), heartbeatMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(beat);
      const current = await readHolder(file);
      if (current?.token === holder.token) await rm(file, { force: true });
    },
  };
}

function describeThisProcess(): Holder {
  const startedAt = performance.timeOrigin;
  return { token: randomUUID(), host: hostname(), pid: process.pid, startedAt };
}

/**
 * Removes a dead lock, one caller at a time: a caller that merely checked first might remove the lock of another caller
 * that has since taken it over. Returns false if another caller is removing it.
 */
async function removeAbandoned(file: string, holder: Holder): Promise<boolean> {
  const removal = `${file}.removal`;
  if (!(await create(removal, holder))) {
    // A caller that was killed during the removal must not block others.
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

/** Removes the lock of a dead process; does nothing if there is none. */
export async function removeAbandonedLock(file: string): Promise<void> {
  if (await isAbandoned(file)) await removeAbandoned(file, describeThisProcess());
}

/** Reports whether a lock is held by a dead process; also false if there is no lock. */
export async function isAbandoned(file: string): Promise<boolean> {
  const holder = await readHolder(file);
  if (holder?.host === hostname() && !isAlive(holder)) return true;
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > staleMs;
}

/** Reads the holder; undefined if the file was removed, or was created but not yet written. */
async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, startedAt }: Holder): boolean {
  if (pid === process.pid) return startedAt === performance.timeOrigin;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  // The lock was taken over, or the folder was removed: the holder continues, and git will fail.
  await utimes(file, now, now).catch(() => undefined);
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(pollMs, undefined, signal ? { signal } : {});
  } catch (cause) {
    throw new OctavoError("cancelled", "Cancelled while waiting for the repository.", { cause });
  }
}
