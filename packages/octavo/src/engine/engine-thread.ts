import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { parentPort } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import type { PGliteOptions } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import type {
  EngineFailure,
  EngineMessage,
  EngineRequest,
  EngineResult,
  EngineTask,
} from "./protocol.ts";
import { writeNewCluster } from "./new-cluster.ts";

/**
 * The thread that runs PGlite, so that a query never blocks the service's event loop. It executes requests strictly in
 * order of arrival, on which the service relies because it pipelines requests.
 */

/**
 * Turns off V8's optimizing compiler for PostgreSQL. Optimizing it, starting with the SQL parser, a function of 100 kB,
 * would take 0.5 s of CPU time and up to 600 MB of memory at every start. It would save at most 8% of the CPU time of
 * small statements, which pays off only after some 20,000 statements.
 */
const noTierUpFlags = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];
/**
 * Validates each of PostgreSQL's functions when it is first called instead of all 9 MB at every start, which takes 60
 * ms of CPU time.
 */
const lazyValidationFlag = "--wasm-lazy-validation";
/**
 * The size of PostgreSQL's shared buffers. WebAssembly allocates all of them at the start, whether or not they are
 * used, and starting git takes longer the larger the service's process is. Other pages are read from the system's file
 * cache.
 */
const sharedBuffersMb = 32;

/**
 * The number of new log segments, 16 MB each, after which a checkpoint is made. A server makes checkpoints by itself.
 * Without these checkpoints, the log would grow for as long as the service runs, and the next start after a crash would
 * read all of it.
 */
const maxNewLogSegments = 4;
/**
 * The parameters that replace PGlite's own, which turn flushing off. The log is flushed with a different method,
 * because Emscripten's `fdatasync`, which PostgreSQL would use, does nothing.
 */
const startParams = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"),
  "-c",
  "wal_sync_method=fsync",
  "-c",
  `shared_buffers=${sharedBuffersMb}MB`,
];

const port = parentPort;
if (!port) throw new Error("engine-thread.ts runs only as a worker thread.");

function sendMessage(message: EngineMessage): void {
  port?.postMessage(message);
}

function toEngineFailure(error: unknown): EngineFailure {
  const fields = (typeof error === "object" && error !== null ? error : {}) as Record<
    string,
    unknown
  >;
  const readField = (name: string) => (typeof fields[name] === "string" ? fields[name] : undefined);
  return {
    message: readField("message") ?? String(error),
    code: readField("code"),
    detail: readField("detail"),
    constraint: readField("constraint"),
    table: readField("table"),
  };
}

/** The last line that PostgreSQL logged before it aborted, which PGlite's errors do not contain. */
let lastLogLine: string | undefined;

/** Stores the line and returns `false`, so that it is not printed. */
function recordLogLine(line: string): false {
  lastLogLine = /\b(?:PANIC|FATAL): +(.*)/.exec(line)?.[1] ?? lastLogLine;
  return false;
}

function sendFailure(error: unknown): void {
  const failure = toEngineFailure(error);
  const message =
    lastLogLine === undefined ? failure.message : `PostgreSQL stopped: ${lastLogLine}`;
  sendMessage({ kind: "failed", failure: { ...failure, message } });
}

/** Ends the thread immediately, because no further writes may be acknowledged. */
function stop(error: Error): void {
  sendFailure(error);
  process.exit(1);
}

async function execute(database: PGlite, request: EngineTask): Promise<EngineResult> {
  if (request.kind === "script") return runScript(database, request.sql);
  if (request.kind === "close") {
    await database.close();
    return { rows: [], affectedRows: undefined, command: undefined };
  }
  const { rows, affectedRows, command } = await database.query<Record<string, unknown>>(
    request.sql,
    request.parameters,
  );
  return { rows, affectedRows, command };
}

/** Runs several statements. A script that fails after its own BEGIN leaves no open transaction. */
async function runScript(database: PGlite, sql: string): Promise<EngineResult> {
  try {
    const results = await database.exec(sql);
    return {
      rows: results.flatMap((result) => result.rows),
      affectedRows: undefined,
      command: undefined,
    };
  } catch (error) {
    await database.exec("ROLLBACK");
    throw error;
  }
}

async function serve(database: PGlite, request: EngineTask): Promise<void> {
  try {
    sendMessage({ kind: "result", id: request.id, result: await execute(database, request) });
  } catch (error) {
    sendMessage({ kind: "error", id: request.id, failure: toEngineFailure(error) });
  }
  if (request.kind === "close") port?.close();
}

async function writeDueCheckpoint(database: PGlite, files: DurableFiles): Promise<void> {
  if (files.newLogSegments < maxNewLogSegments || database.Module._IsTransactionBlock() !== 0)
    return;
  files.newLogSegments = 0;
  // If the checkpoint fails, the log still contains everything.
  await database.exec("CHECKPOINT").catch(() => undefined);
}

for (const flag of [...noTierUpFlags, lazyValidationFlag]) setFlagsFromString(flag);

type Program = NonNullable<PGliteOptions["pgliteWasmModule"]>;

/**
 * The part of the WebAssembly API that is used here. The types for browsers declare it, but the types for Node do not.
 */
declare const WebAssembly: { compile(binary: Uint8Array): Promise<Program> };

/**
 * The program is compiled before the folder is known, because compiling takes longer than the rest of opening the
 * database.
 */
const pendingProgram = compile();
// `open` reports a failure to compile.
pendingProgram.catch(() => undefined);

async function compile(): Promise<Program> {
  const program = new URL("pglite.wasm", import.meta.resolve("@electric-sql/pglite"));
  return await WebAssembly.compile(await readFile(program));
}

/** Serves one request after another; undefined until the database is open. */
let enqueue: ((task: EngineTask) => void) | undefined;

async function open(folder: string): Promise<void> {
  try {
    if (!existsSync(join(folder, "PG_VERSION"))) writeNewCluster(folder);
    const files = new DurableFiles(folder, stop);
    const database = await PGlite.create({
      fs: files,
      relaxedDurability: false,
      startParams,
      onStderr: recordLogLine,
      pgliteWasmModule: await pendingProgram,
    });
    database.onNotification((channel, payload) =>
      sendMessage({ kind: "notification", channel, payload }),
    );
    let lastTask = Promise.resolve();
    enqueue = (task) => {
      lastTask = lastTask.then(() => serve(database, task));
      if (task.kind !== "close")
        lastTask = lastTask.then(() => writeDueCheckpoint(database, files));
    };
    sendMessage({ kind: "ready" });
  } catch (error) {
    sendFailure(error);
  }
}

port.on("message", (request: EngineRequest) => {
  if (request.kind === "open") void open(request.folder);
  else enqueue?.(request);
});

type Initialized = Awaited<ReturnType<NodeFS["init"]>>;
type EngineModule = Initialized["emscriptenOpts"];

interface FileNode {
  readonly parent: FileNode;
}

interface FileStream {
  readonly node: FileNode;
  /** The operating system's file descriptor. */
  readonly nfd: number;
}

/** The parts of Emscripten's NODEFS that its types do not declare. */
interface NodeFiles {
  realPath(node: FileNode): string;
  readonly node_ops: {
    mknod: (parent: FileNode, name: string, mode: number, device: number) => FileNode;
  };
  readonly stream_ops: { fsync?: (stream: FileStream) => void };
}

/**
 * PGlite's files in a folder on this machine. PGlite's own class does not flush files. With this class, a file or
 * folder that PostgreSQL flushes is on disk. PostgreSQL flushes files only if it is started without `-F`.
 *
 * PostgreSQL responds to a disk failure by aborting, but PGlite discards this and continues with the next statement.
 * Therefore, `onFailure` is called first and must end the thread, because nothing may be acknowledged afterward.
 */
class DurableFiles extends NodeFS {
  /** The number of WAL segments of 16 MB that PostgreSQL created since this counter was last reset. */
  newLogSegments = 0;
  readonly #onFailure: (error: Error) => void;
  /** Folders with new entries that have not been flushed yet. */
  readonly #changedFolders = new Set<string>();

  constructor(folder: string, onFailure: (error: Error) => void) {
    super(folder);
    this.#onFailure = onFailure;
  }

  override async init(database: PGlite, options: EngineModule): Promise<Initialized> {
    const { emscriptenOpts } = await super.init(database, options);
    const extend: NonNullable<EngineModule["preRun"]>[number] = (module) =>
      this.#extend(module.NODEFS);
    return {
      emscriptenOpts: {
        ...emscriptenOpts,
        preRun: [...(emscriptenOpts.preRun ?? []), extend],
        onAbort: () => this.#onFailure(new Error("PostgreSQL stopped.")),
      },
    };
  }

  #extend(files: NodeFiles): void {
    const { mknod } = files.node_ops;
    files.node_ops.mknod = (parent, name, ...rest) => {
      const node = mknod(parent, name, ...rest);
      if (name.startsWith("xlogtemp.")) this.newLogSegments += 1;
      this.#changedFolders.add(files.realPath(parent));
      return node;
    };
    files.stream_ops.fsync = ({ node, nfd }) => {
      this.#attempt(() => fsyncSync(nfd));
      // PostgreSQL assumes that the name of a flushed file is also on disk, which only some file systems guarantee.
      const folder = files.realPath(node.parent);
      if (this.#changedFolders.delete(folder)) this.#attempt(() => flushFolder(folder));
    };
  }

  #attempt(flush: () => void): void {
    try {
      flush();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.#onFailure(new Error(`The disk failed: ${reason}`));
      throw cause;
    }
  }
}

function flushFolder(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
