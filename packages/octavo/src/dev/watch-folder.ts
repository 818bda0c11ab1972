import { watch } from "node:fs";
import type { Dirent, FSWatcher } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { OctavoError } from "@octavo/site/core";

/**
 * Called with files and folders below the root that were written, made, moved or removed, each once, with
 * forward slashes. The next call comes when this one has ended.
 */
export type OnChange = (paths: readonly string[]) => Promise<void>;

/** An editor writes a file in several steps, within a millisecond or two; a page is not rendered from half of it. */
const quietMs = 8;
/** What goes on changing is told this often all the same. */
const longestMs = 150;
/** A folder that holds more than a site. */
const mostFolders = 10_000;

/** Watches a folder and all below it, but for hidden folders and packages, until it is disposed. */
export async function watchFolder(root: string, onChange: OnChange): Promise<Disposable> {
  const batch = createBatch(onChange);
  if (process.platform !== "linux") {
    const watcher = watch(root, { recursive: true });
    watcher.on("change", (_kind, name) => {
      const path = String(name).split(sep).join("/");
      if (path === ".mintignore" || !path.split("/").some(isPassedOver)) batch.add(path);
    });
    return stoppable([watcher], batch);
  }
  const folders = new FolderWatches(root, batch.add);
  await folders.enter("");
  return stoppable([folders], batch);
}

function stoppable(watchers: readonly { close(): void }[], batch: Batch): Disposable {
  return {
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher.close();
      batch.stop();
    },
  };
}

function isPassedOver(name: string): boolean {
  return name === "node_modules" || (name.startsWith(".") && name !== ".well-known");
}

/**
 * A watcher for each folder. Node's own recursive watching on Linux has one for each file, and loses a file
 * for good when it is replaced by renaming another over it, which is how many editors save.
 */
class FolderWatches {
  readonly #root: string;
  readonly #tell: (path: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #isClosed = false;

  constructor(root: string, tell: (path: string) => void) {
    this.#root = root;
    this.#tell = tell;
  }

  /** Watches a folder and those in it. Nothing happens where there is none, or it is watched already. */
  async enter(path: string, onFile?: (path: string) => void): Promise<void> {
    const open = [path];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      if (!this.#watch(folder)) continue;
      // After it is watched, so that nothing comes in between.
      for (const entry of await this.#entriesOf(folder)) {
        const inner = pathIn(folder, entry.name);
        if (!entry.isDirectory()) onFile?.(inner);
        else if (!isPassedOver(entry.name)) open.push(inner);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(folder: string): boolean {
    // What was found just before it was closed is not watched: nobody would end that, nor would the process end.
    if (this.#isClosed || this.#watchers.has(folder)) return false;
    if (this.#watchers.size >= mostFolders) {
      const message = `There are more than ${mostFolders} folders to watch; name the site's own folder.`;
      throw new OctavoError("too_large", message);
    }
    try {
      const watcher = watch(join(this.#root, folder));
      watcher.on("change", (kind, name) => void this.#see(folder, kind, String(name)));
      // It is gone; what follows from that is told by the folder above.
      watcher.on("error", () => this.#leave(folder));
      this.#watchers.set(folder, watcher);
      return true;
    } catch (cause) {
      if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return false;
      throw notWatched(cause);
    }
  }

  async #see(folder: string, kind: string, name: string): Promise<void> {
    if (isPassedOver(name) && name !== ".mintignore") return;
    const path = pathIn(folder, name);
    this.#tell(path);
    if (kind !== "rename") return;
    // What was watched under this name may have been moved away, and another folder be there now.
    this.#leave(path);
    // What went away again meanwhile is none.
    const found = await lstat(join(this.#root, path)).catch(() => undefined);
    if (found?.isDirectory()) await this.enter(path, this.#tell).catch(() => undefined);
  }

  #leave(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }

  async #entriesOf(folder: string): Promise<Dirent[]> {
    // A folder that went away again has none.
    return await readdir(join(this.#root, folder), { withFileTypes: true }).catch(() => []);
  }
}

function pathIn(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function notWatched(cause: unknown): OctavoError {
  const isFull = codeOf(cause) === "ENOSPC" || codeOf(cause) === "EMFILE";
  const reason = isFull
    ? "the system watches as many folders as it is set to; raise fs.inotify.max_user_watches"
    : `the system refused it (${codeOf(cause)})`;
  const message = `Changes of the site's folder cannot be watched: ${reason}.`;
  return new OctavoError("unavailable", message, { cause });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

interface Batch {
  readonly add: (path: string) => void;
  stop(): void;
}

/** Gathers paths until it is quiet, and hands them on one batch after the other. */
function createBatch(onChange: OnChange): Batch {
  let paths = new Set<string>();
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  let isBusy = false;
  let isStopped = false;

  async function flush(): Promise<void> {
    timer = undefined;
    if (isBusy || isStopped || paths.size === 0) return;
    const batch = [...paths];
    paths = new Set();
    isBusy = true;
    await onChange(batch);
    isBusy = false;
    await flush();
  }
  return {
    add(path) {
      const now = performance.now();
      if (paths.size === 0) since = now;
      paths.add(path);
      clearTimeout(timer);
      const wait = Math.max(0, Math.min(quietMs, since + longestMs - now));
      timer = setTimeout(() => void flush(), wait);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
