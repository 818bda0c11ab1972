import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../support/random.ts";
import type { FileChange, Operation } from "./operation.ts";

/** A file, or a folder, whatever its names are. */
interface Inode {
  readonly isFolder: boolean;
  /** Where the content is as long as nothing of it was written; undefined for what was created. */
  base: string | undefined;
  /** The content that is on the disk for certain. */
  content: Buffer;
  /** In order: what the system may have written to the disk or not. */
  pending: FileChange[];
}

/** A change of folders that a disk has wholly or not at all. */
type EntryChange = readonly {
  readonly folder: Inode;
  readonly name: string;
  readonly to: Inode | undefined;
}[];

type Tree = Map<Inode, Map<string, Inode>>;

/**
 * The files below one folder as the disk may have them after a loss of power. What was synced is on the disk: of a
 * file its content, of a folder its entries, and nothing else, as POSIX has it. Everything later is on it or not,
 * in any order and in parts.
 */
export class Disk {
  readonly #root: Inode = newFolder();
  /** As the program sees it. */
  readonly #live: Tree = new Map();
  /** On the disk for certain. */
  readonly #synced: Tree = new Map();
  #changes: EntryChange[] = [];
  readonly #handles = new Map<number, Inode>();
  readonly #begun = new Map<number, ReadonlySet<unknown>>();

  /** `base` holds the files at the beginning, on the disk but for those that are not synced; it stays as it is. */
  constructor(base: string, isUnsynced = false) {
    this.#addFolder(this.#root, base, isUnsynced);
  }

  #addFolder(folder: Inode, path: string, isUnsynced: boolean): void {
    this.#live.set(folder, new Map());
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const at = join(path, entry.name);
      const child = entry.isDirectory() ? newFolder() : newFile();
      if (!child.isFolder && isUnsynced) {
        child.pending.push({ kind: "write", handle: 0, at: 0, data: readFileSync(at) });
      } else if (!child.isFolder) {
        child.base = at;
      }
      this.#change([{ folder, name: entry.name, to: child }]);
      if (child.isFolder) this.#addFolder(child, at, isUnsynced);
    }
    if (isUnsynced) return;
    for (const change of this.#changes) applyEntries(this.#synced, change);
    this.#changes = [];
  }

  apply(operation: Operation): void {
    switch (operation.kind) {
      case "open":
        this.#handles.set(operation.handle, this.#open(operation.path));
        return;
      case "write":
      case "truncate":
        this.#inode(operation.handle).pending.push(operation);
        return;
      case "begin-sync":
        this.#begun.set(operation.handle, this.#pendingOf(this.#inode(operation.handle)));
        return;
      case "sync":
        this.#sync(operation.handle);
        return;
      case "folder":
        this.#change([{ ...this.#locate(operation.path), to: newFolder() }]);
        return;
      case "link":
        this.#change([{ ...this.#locate(operation.to), to: this.#find(operation.path) }]);
        return;
      case "rename":
        this.#change([
          { ...this.#locate(operation.to), to: this.#find(operation.path) },
          { ...this.#locate(operation.path), to: undefined },
        ]);
        return;
      case "remove":
        this.#change([{ ...this.#locate(operation.path), to: undefined }]);
        return;
      case "acknowledge":
    }
  }

  #inode(handle: number): Inode {
    const inode = this.#handles.get(handle);
    if (!inode) throw new Error(`The recording uses a file ${handle} that it did not open.`);
    return inode;
  }

  #locate(path: string): { folder: Inode; name: string } {
    const names = path.split("/");
    const name = names.pop() ?? "";
    return { folder: this.#find(names.join("/")) ?? this.#root, name };
  }

  #find(path: string): Inode | undefined {
    let inode: Inode | undefined = this.#root;
    for (const name of path.split("/")) {
      if (name !== "") inode = inode && this.#live.get(inode)?.get(name);
    }
    return inode;
  }

  #open(path: string): Inode {
    const found = this.#find(path);
    if (found) return found;
    const created = newFile();
    this.#change([{ ...this.#locate(path), to: created }]);
    return created;
  }

  #change(change: EntryChange): void {
    applyEntries(this.#live, change);
    this.#changes.push(change);
  }

  #pendingOf(inode: Inode): ReadonlySet<unknown> {
    return new Set<unknown>(
      inode.isFolder ? this.#changes.filter((change) => concerns(change, inode)) : inode.pending,
    );
  }

  #sync(handle: number): void {
    const inode = this.#inode(handle);
    const covered = this.#begun.get(handle) ?? this.#pendingOf(inode);
    if (inode.isFolder) {
      for (const change of this.#changes) {
        if (covered.has(change)) applyEntries(this.#synced, change);
      }
      this.#changes = this.#changes.filter((change) => !covered.has(change));
      return;
    }
    const changes = inode.pending.filter((change) => covered.has(change));
    inode.content = changes.reduce(applyToFile, contentOf(inode));
    if (changes.length > 0) inode.base = undefined;
    inode.pending = inode.pending.filter((change) => !covered.has(change));
  }

  /** Writes to `folder`, which does not exist, what a disk may have if the power fails now. */
  cutPower(folder: string, random: Random): void {
    const tree: Tree = new Map([...this.#synced].map(([inode, all]) => [inode, new Map(all)]));
    for (const change of chooseSome(this.#changes, random)) applyEntries(tree, change);
    writeFolder(tree, { inode: this.#root, path: folder, random });
  }
}

function newFolder(): Inode {
  return { isFolder: true, base: undefined, content: Buffer.alloc(0), pending: [] };
}

function newFile(): Inode {
  return { isFolder: false, base: undefined, content: Buffer.alloc(0), pending: [] };
}

function concerns(change: EntryChange, folder: Inode): boolean {
  return change.some((entry) => entry.folder === folder);
}

function applyEntries(tree: Tree, change: EntryChange): void {
  for (const { folder, name, to } of change) {
    const entries = tree.get(folder) ?? new Map<string, Inode>();
    if (to) entries.set(name, to);
    else entries.delete(name);
    tree.set(folder, entries);
  }
}

function contentOf(inode: Inode): Buffer {
  return inode.base === undefined ? inode.content : readFileSync(inode.base);
}

function applyToFile(content: Buffer, change: FileChange): Buffer {
  if (change.kind === "truncate") return resized(content, change.size);
  const end = change.at + change.data.length;
  // Room to grow in, and a copy: what is on the disk for certain stays as it is.
  const whole = end > content.length ? resized(content, end) : content;
  change.data.copy(whole, change.at);
  return whole;
}

function resized(content: Buffer, size: number): Buffer {
  const whole = Buffer.alloc(size);
  content.copy(whole, 0, 0, Math.min(size, content.length));
  return whole;
}

/** All, none, the first ones, or any: disks and file systems differ. */
function chooseSome<Item>(items: readonly Item[], random: Random): readonly Item[] {
  const kind = Math.floor(random() * 4);
  if (kind === 0) return items;
  if (kind === 1) return [];
  if (kind === 2) return items.slice(0, Math.floor(random() * (items.length + 1)));
  return items.filter(() => random() < 0.5);
}

/** A disk writes a sector wholly or not at all; which of a write's sectors, and in which order, is its own affair. */
function tear(changes: readonly FileChange[], random: Random): FileChange[] {
  const sector = random() < 0.5 ? 512 : 4096;
  return changes.flatMap((change) => {
    if (change.kind === "truncate") return [change];
    const parts: FileChange[] = [];
    for (let from = 0; from < change.data.length; from += sector) {
      if (random() < 0.5) continue;
      parts.push({
        ...change,
        at: change.at + from,
        data: change.data.subarray(from, from + sector),
      });
    }
    return parts;
  });
}

interface Target {
  readonly inode: Inode;
  readonly path: string;
  readonly random: Random;
}

function writeFolder(tree: Tree, { inode, path, random }: Target): void {
  mkdirSync(path);
  for (const [name, child] of tree.get(inode) ?? []) {
    const target = { inode: child, path: join(path, name), random };
    if (child.isFolder) writeFolder(tree, target);
    else writeFile(target);
  }
}

function writeFile({ inode, path, random }: Target): void {
  const chosen = chooseSome(inode.pending, random);
  const changes = random() < 0.5 ? tear(chosen, random) : chosen;
  if (inode.base !== undefined && changes.length === 0) return copyFileSync(inode.base, path);
  writeFileSync(path, changes.reduce(applyToFile, Buffer.from(contentOf(inode))));
}
