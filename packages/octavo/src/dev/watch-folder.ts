import { watch } from "node:fs";
import type { Dirent, FSWatcher } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { OctavoError, isSystemError } from "@octavo/site/core";

/**
 * Called with the paths, relative to the root and with forward slashes, of all files and folders that were written,
 * created, moved or removed. Each path is listed once. The next call is made after this one has finished.
 */
type OnChange = (paths: readonly string[]) => Promise<void>;

/**
 * The time without changes before changes are reported. An editor writes a file in several steps within a millisecond
 * or two, and a page must not be rendered from half of a file.
 */
const quietMs = 8;
/** The time after which changes are reported even if more keep arriving. */
const maxDelayMs = 150;
/** The maximum number of watched folders. A folder with more subfolders is not a site. */
const maxFolders = 10_000;

/** Watches a folder and everything below it, except hidden folders and `node_modules`, until the result is disposed. */
export async function watchFolder(root: string, onChange: OnChange): Promise<Disposable> {
  const batcher = createPathBatcher(onChange);
  if (process.platform !== "linux") {
    const watcher = watch(root, { recursive: true });
    watcher.on("change", (_kind, name) => {
      const path = String(name).split(sep).join("/");
      if (path === ".mintignore" || !path.split("/").some(isIgnored)) batcher.add(path);
    });
    return toDisposable([watcher], batcher);
  }
  const watches = new FolderWatches(root, batcher.add);
  await watches.watchTree("");
  return toDisposable([watches], batcher);
}

function toDisposable(watchers: readonly { close(): void }[], batcher: PathBatcher): Disposable {
  return {
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher.close();
      batcher.stop();
    },
  };
}

function isIgnored(name: string): boolean {
  return name === "node_modules" || (name.startsWith(".") && name !== ".well-known");
}

/**
 * Watches folders with one watcher per folder. Node's recursive watching on Linux uses one watcher per file, and loses
 * a file permanently when another file is renamed over it, which is how many editors save files.
 */
class FolderWatches {
  readonly #root: string;
  readonly #onPath: (path: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #isClosed = false;

  constructor(root: string, onPath: (path: string) => void) {
    this.#root = root;
    this.#onPath = onPath;
  }

  /** Watches a folder and its subfolders. Does nothing if the folder does not exist or is already watched. */
  async watchTree(path: string, onFile?: (path: string) => void): Promise<void> {
    const pending = [path];
    for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
      if (!this.#watch(folder)) continue;
      // The entries are listed after the watch has started, so that no change is missed.
      for (const entry of await this.#readEntries(folder)) {
        const childPath = joinPath(folder, entry.name);
        if (!entry.isDirectory()) onFile?.(childPath);
        else if (!isIgnored(entry.name)) pending.push(childPath);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(folder: string): boolean {
    // A folder that is found during closing is not watched, because its watcher would never be closed and would keep
    // the process alive.
    if (this.#isClosed || this.#watchers.has(folder)) return false;
    if (this.#watchers.size >= maxFolders) {
      const message = `There are more than ${maxFolders} folders to watch; choose the site's own folder.`;
      throw new OctavoError("too_large", message);
    }
    try {
      const watcher = watch(join(this.#root, folder));
      watcher.on("change", (kind, name) => void this.#handleChange(folder, kind, String(name)));
      // An error means that the folder was removed, which the watcher of its parent reports.
      watcher.on("error", () => this.#unwatch(folder));
      this.#watchers.set(folder, watcher);
      return true;
    } catch (cause) {
      if (isSystemError(cause, "ENOENT", "ENOTDIR")) return false;
      throw createWatchError(cause);
    }
  }

  async #handleChange(folder: string, kind: string, name: string): Promise<void> {
    if (isIgnored(name) && name !== ".mintignore") return;
    const path = joinPath(folder, name);
    this.#onPath(path);
    if (kind !== "rename") return;
    // The folder that was watched under this name may have been moved and replaced by another folder.
    this.#unwatch(path);
    // A folder that has already been removed again is ignored.
    const stats = await lstat(join(this.#root, path)).catch(() => undefined);
    if (stats?.isDirectory()) await this.watchTree(path, this.#onPath).catch(() => undefined);
  }

  #unwatch(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }

  async #readEntries(folder: string): Promise<Dirent[]> {
    // A folder that has already been removed again has no entries.
    return await readdir(join(this.#root, folder), { withFileTypes: true }).catch(() => []);
  }
}

function joinPath(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function createWatchError(cause: unknown): OctavoError {
  const isLimitReached = isSystemError(cause, "ENOSPC", "EMFILE");
  const reason = isLimitReached
    ? "the system's limit for watched folders has been reached; raise fs.inotify.max_user_watches"
    : `the system refused it (${(cause as NodeJS.ErrnoException).code})`;
  const message = `The site's folder cannot be watched for changes: ${reason}.`;
  return new OctavoError("unavailable", message, { cause });
}

interface PathBatcher {
  readonly add: (path: string) => void;
  stop(): void;
}

/** Collects paths until no more arrive, and then passes them on, one batch after the other. */
function createPathBatcher(onChange: OnChange): PathBatcher {
  let paths = new Set<string>();
  let firstAddedAt = 0;
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
      if (paths.size === 0) firstAddedAt = now;
      paths.add(path);
      clearTimeout(timer);
      const waitMs = Math.max(0, Math.min(quietMs, firstAddedAt + maxDelayMs - now));
      timer = setTimeout(() => void flush(), waitMs);
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
