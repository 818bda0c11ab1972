import { createHash } from "node:crypto";
import { once } from "node:events";
import { open, readFile, realpath, unlink } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { OctavoError } from "../../core/index.ts";

/**
 * Takes the data folder for this process alone, or throws `conflict` with a sentence that names the
 * process that has it. Two processes on one embedded database destroy each other's rows, so this
 * comes before anything in the folder is opened. The lock ends with the process, however it ends.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const path = await realpath(folder);
  return process.platform === "linux" ? lockByAbstractSocket(path) : lockByPidFile(path);
}

/** The kernel frees an abstract socket when its process dies: no stale lock is left after `kill -9`. */
async function lockByAbstractSocket(folder: string): Promise<AsyncDisposable> {
  const name = `\0octavo-${createHash("sha256").update(folder).digest("hex").slice(0, 40)}`;
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(String(process.pid));
  });
  server.listen({ path: name });
  try {
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw folderInUse(folder, await holderOf(name));
  }
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

/** The process ID that the holder of the socket tells, or undefined where it does not answer in time. */
async function holderOf(name: string): Promise<string | undefined> {
  const socket = connect({ path: name });
  socket.setEncoding("utf8").setTimeout(1000, () => socket.destroy());
  try {
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    return /^\d+$/.test(text) ? text : undefined;
  } catch {
    return undefined;
  }
}

/** For systems without abstract sockets: a file with the holder's process ID, taken over when that one is dead. */
export async function lockByPidFile(folder: string): Promise<AsyncDisposable> {
  const file = join(folder, "octavo.pid");
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const handle = await open(file, "wx", 0o600);
      await handle.writeFile(String(process.pid));
      await handle.close();
      return { [Symbol.asyncDispose]: () => unlink(file) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await readFile(file, "utf8").catch(() => "");
    if (isAlive(Number(holder))) throw folderInUse(folder, holder);
    await unlink(file).catch(() => undefined);
  }
  throw folderInUse(folder, undefined);
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process is there and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function folderInUse(folder: string, holder: string | undefined): OctavoError {
  const who = holder === undefined ? "another Octavo process" : `the Octavo process ${holder}`;
  return new OctavoError(
    "conflict",
    `The data folder ${folder} is in use by ${who}. Stop that one first, or choose another folder ` +
      "with --data or OCTAVO_DATA; several nodes share one PostgreSQL by DATABASE_URL instead.",
    { details: { folder, ...(holder === undefined ? {} : { pid: Number(holder) }) } },
  );
}
