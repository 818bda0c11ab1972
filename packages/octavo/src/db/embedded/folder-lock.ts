import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { link, open, readFile, realpath, unlink, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { OctavoError, isSystemError } from "@octavo/site/core";

/** The time that the holder of a lock has to report its process ID. It is long enough even on a busy machine. */
const defaultHolderTimeoutMs = 5_000;

/**
 * Locks the data folder for this process, or throws a `conflict` error that contains the ID of the process that holds
 * the lock. Two processes on one embedded database would destroy each other's rows, so the folder is locked before
 * anything in it is opened. The lock ends with the process, however the process ends.
 *
 * On Linux, the lock consists of two sockets. The abstract socket is reliable because the kernel frees it when the
 * process ends, but containers do not see each other's abstract sockets. The socket in the folder is visible to all
 * containers that mount the folder.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const path = await realpath(folder);
  if (process.platform !== "linux") return lockByPidFile(path);
  await using locks = new AsyncDisposableStack();
  locks.use(await lockByAbstractSocket(path));
  locks.use(await lockBySocketFile(path));
  const heldLocks = locks.move();
  return { [Symbol.asyncDispose]: () => heldLocks.disposeAsync() };
}

async function lockByAbstractSocket(folder: string): Promise<AsyncDisposable> {
  const name = `\0octavo-${createHash("sha256").update(folder).digest("hex").slice(0, 40)}`;
  const lock = await listen(name);
  if (lock) return lock;
  throw createFolderInUseError(folder, (await findHolder(name, defaultHolderTimeoutMs))?.pid);
}

/** Locks a folder with a socket in it. The socket of a dead process refuses connections and is replaced. */
export async function lockBySocketFile(
  folder: string,
  holderTimeoutMs = defaultHolderTimeoutMs,
): Promise<AsyncDisposable> {
  await using resources = new AsyncDisposableStack();
  // The address of a socket can have at most 107 bytes. Through the folder's descriptor, the address is short for any
  // path. The descriptor stays open as long as the socket, which removes its file by the same address when it is
  // closed.
  const directory = resources.use(await open(folder));
  const address = `/proc/self/fd/${directory.fd}/octavo.lock`;
  for (let attempt = 0; attempt < 3; attempt++) {
    const lock = await listen(address);
    if (lock) {
      resources.use(lock);
      const heldResources = resources.move();
      return { [Symbol.asyncDispose]: () => heldResources.disposeAsync() };
    }
    const holder = await findHolder(address, holderTimeoutMs);
    if (holder?.isAlive) throw createFolderInUseError(folder, holder.pid);
    await removeDeadSocket(address, holderTimeoutMs);
  }
  throw createFolderInUseError(folder, undefined);
}

/**
 * Removes a dead socket. Only one process at a time does this, because another process could replace the socket between
 * this process's check and its removal.
 */
async function removeDeadSocket(address: string, holderTimeoutMs: number): Promise<void> {
  const removalAddress = `${address}.removal`;
  await using removalLock = await listen(removalAddress);
  const staleAddress = removalLock ? address : removalAddress;
  // If another process holds the removal lock, only that lock is removed, and only if its holder is dead.
  const holder = await findHolder(staleAddress, holderTimeoutMs);
  // If the file is missing, another process has removed it.
  if (holder?.isAlive === false) await unlink(staleAddress).catch(() => undefined);
}

/** Listens at the address and sends this process's ID to every client. Returns undefined if the address is in use. */
async function listen(path: string): Promise<AsyncDisposable | undefined> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(String(process.pid));
  });
  server.listen({ path });
  try {
    await once(server, "listening");
  } catch (error) {
    if (isSystemError(error, "EADDRINUSE")) return undefined;
    throw error;
  }
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * Returns the holder of a socket, or undefined if there is no socket. A holder is considered alive even if it does not
 * respond in time.
 */
async function findHolder(
  path: string,
  timeoutMs: number,
): Promise<{ isAlive: boolean; pid?: string } | undefined> {
  const socket = connect({ path });
  socket.setEncoding("utf8").setTimeout(timeoutMs, () => socket.destroy());
  try {
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    return /^\d+$/.test(text) ? { isAlive: true, pid: text } : { isAlive: true };
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined;
    return { isAlive: !isSystemError(error, "ECONNREFUSED") };
  }
}

/**
 * Locks a folder on systems without abstract sockets. The lock is a file that contains the holder's process ID, and is
 * replaced if the holder is dead.
 */
export async function lockByPidFile(folder: string): Promise<AsyncDisposable> {
  const file = join(folder, "octavo.pid");
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await createPidFile(file)) return { [Symbol.asyncDispose]: () => unlink(file) };
    const holder = await readPid(file);
    if (holder !== undefined && isAlive(holder))
      throw createFolderInUseError(folder, String(holder));
    await removeDeadPidFile(file);
  }
  throw createFolderInUseError(folder, undefined);
}

/** Creates a file that contains this process's ID from the start. Returns false if the file exists. */
async function createPidFile(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, String(process.pid), { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (!isSystemError(error, "EEXIST")) throw error;
    return false;
  } finally {
    await unlink(draft);
  }
}

/** Removes the PID file of a dead holder in the same way as `removeDeadSocket` removes a socket. */
async function removeDeadPidFile(file: string): Promise<void> {
  const removalFile = `${file}.removal`;
  const hasRemovalFile = await createPidFile(removalFile);
  const staleFile = hasRemovalFile ? file : removalFile;
  const holder = await readPid(staleFile);
  if (holder !== undefined && !isAlive(holder)) await unlink(staleFile).catch(() => undefined);
  if (hasRemovalFile) await unlink(removalFile);
}

/** Reads the process ID from a PID file. Returns undefined if the file does not exist. */
async function readPid(file: string): Promise<number | undefined> {
  try {
    return Number(await readFile(file, "utf8"));
  } catch (error) {
    if (!isSystemError(error, "ENOENT")) throw error;
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return isSystemError(error, "EPERM");
  }
}

function createFolderInUseError(folder: string, holder: string | undefined): OctavoError {
  const holderName =
    holder === undefined ? "another Octavo process" : `the Octavo process ${holder}`;
  return new OctavoError(
    "conflict",
    `The data folder ${folder} is in use by ${holderName}. Stop that process first, or choose another folder with --data ` +
      "or OCTAVO_DATA. To run several nodes, set DATABASE_URL to a PostgreSQL database that they share.",
    { details: { folder, ...(holder === undefined ? {} : { pid: Number(holder) }) } },
  );
}
