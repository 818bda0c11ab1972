import { randomUUID } from "node:crypto";
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { OctavoError, isSystemError } from "@octavo/site/core";

const pollIntervalMs = 100;
/** The interval at which the holder touches the lock file. */
const heartbeatIntervalMs = 5_000;
/** A lock file that was not touched for this long belongs to a dead process. */
const staleAfterMs = 60_000;

interface Holder {
  readonly token: string;
  readonly host: string;
  readonly pid: number;
  /**
   * The start time that the process itself reports. It distinguishes restarts in a container, where each has the same
   * process ID.
   */
  readonly startedAt: number;
}

/**
 * Acquires a lock that is exclusive among all processes that see `file`. To release it, dispose of the result. Takes
 * over the lock of a dead holder. Throws `cancelled` when `signal` is aborted.
 */
export async function acquireLock(file: string, signal?: AbortSignal): Promise<AsyncDisposable> {
  const holder = describeThisProcess();
  while (!(await createLockFile(file, holder))) {
    if (!(await isAbandoned(file)) || !(await removeAbandoned(file, holder))) await pause(signal);
  }
  const heartbeat = setInterval(() => void refreshLockFile(file), heartbeatIntervalMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(heartbeat);
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
 * Removes a dead holder's lock. Only one caller can do so at a time. If callers only checked the lock first, one caller
 * could remove the lock that another caller has taken over in the meantime. Returns false if another caller is removing
 * the lock.
 */
async function removeAbandoned(file: string, holder: Holder): Promise<boolean> {
  const removal = `${file}.removal`;
  if (!(await createLockFile(removal, holder))) {
    // A caller that was killed during the removal must not block others.
    if (await isAbandoned(removal)) await rm(removal, { force: true });
    return false;
  }
  if (await isAbandoned(file)) await rm(file, { force: true });
  await rm(removal, { force: true });
  return true;
}

async function createLockFile(file: string, holder: Holder): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(holder), { flag: "wx" });
    return true;
  } catch (error) {
    if (isSystemError(error, "EEXIST")) return false;
    throw error;
  }
}

/** Removes the lock of a dead process. Does nothing if there is no such lock. */
export async function removeAbandonedLock(file: string): Promise<void> {
  if (await isAbandoned(file)) await removeAbandoned(file, describeThisProcess());
}

/** Reports whether a lock belongs to a dead process. Returns false if there is no lock. */
export async function isAbandoned(file: string): Promise<boolean> {
  const holder = await readHolder(file);
  if (holder?.host === hostname() && !isAlive(holder)) return true;
  const stats = await stat(file).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > staleAfterMs;
}

/** Reads the holder. Returns undefined if the file was removed, or was created but is still empty. */
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
    return isSystemError(error, "EPERM");
  }
}

async function refreshLockFile(file: string): Promise<void> {
  const now = new Date();
  // Touching fails if the lock was taken over or the folder was removed. The holder continues, and git will fail.
  await utimes(file, now, now).catch(() => undefined);
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(pollIntervalMs, undefined, signal ? { signal } : {});
  } catch (cause) {
    throw new OctavoError("cancelled", "Cancelled while waiting for the repository.", { cause });
  }
}
