import { NodeFS } from "@electric-sql/pglite/nodefs";
import type { PGlite } from "@electric-sql/pglite";
import { closeSync, fsyncSync, openSync } from "node:fs";

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
export class DurableFiles extends NodeFS {
  /** The number of segments of PostgreSQL's log, 16 MB each, that were created since this number was set to 0. */
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
    files.node_ops.mknod = (parent, name, ...given) => {
      const node = mknod(parent, name, ...given);
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
