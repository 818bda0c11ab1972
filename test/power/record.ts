import fs from "node:fs";
import type { PathLike } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, relative, resolve, sep } from "node:path";
import { threadId } from "node:worker_threads";
import { encodeOperation } from "./operation.ts";
import type { Operation } from "./operation.ts";

export interface RecordingPlace {
  /** The folder whose files are recorded. */
  readonly root: string;
  /** The log, outside of it; several threads append to one. */
  readonly log: string;
}

export interface RunningRecording extends Disposable {
  add(operation: Operation): void;
}

/** Records what this thread does to files by the functions of `node:fs` that the service uses, until disposed. */
export function startRecording(place: RecordingPlace): RunningRecording {
  const recorder = new Recorder(place);
  const restoreCalls = replace(fs, recordedCalls(recorder));
  const restorePromises = replace(promises, recordedPromises(recorder));
  syncBuiltinESMExports();
  return {
    add: (operation) => recorder.add(operation),
    [Symbol.dispose]() {
      restoreCalls();
      restorePromises();
      syncBuiltinESMExports();
    },
  };
}

/** Returns how to undo it. */
function replace<Functions extends object>(target: Functions, replacements: Partial<Functions>) {
  const names = Object.keys(replacements) as (keyof Functions)[];
  const originals = names.map((name) => [name, target[name]] as const);
  Object.assign(target, replacements);
  return () => {
    for (const [name, original] of originals) target[name] = original;
  };
}

class Recorder {
  readonly #root: string;
  readonly #log: number;
  readonly #append = fs.writeSync;
  /** By descriptor. */
  readonly #open = new Map<number, number>();
  #handles = threadId * 1_000_000;

  constructor({ root, log }: RecordingPlace) {
    this.#root = resolve(root);
    this.#log = fs.openSync(log, "a");
  }

  add(operation: Operation): void {
    // One call, which the system never mixes with another thread's.
    this.#append(this.#log, encodeOperation(operation));
  }

  /** Undefined outside the recorded folder. */
  path(given: unknown): string | undefined {
    if (typeof given !== "string") return undefined;
    const path = relative(this.#root, given);
    return path === ".." || path.startsWith(`..${sep}`) ? undefined : path;
  }

  at(given: unknown, operation: (path: string) => Operation): void {
    const path = this.path(given);
    if (path !== undefined) this.add(operation(path));
  }

  /** A handle for one file or folder by its name; undefined outside. */
  name(given: unknown): number | undefined {
    const path = this.path(given);
    if (path === undefined) return undefined;
    this.#handles += 1;
    this.add({ kind: "open", handle: this.#handles, path });
    return this.#handles;
  }

  opened(descriptor: number, path: unknown): void {
    const handle = this.name(path);
    if (handle !== undefined) this.#open.set(descriptor, handle);
  }

  closed(descriptor: number): void {
    this.#open.delete(descriptor);
  }

  on(descriptor: number, operation: (handle: number) => Operation): void {
    const handle = this.#open.get(descriptor);
    if (handle !== undefined) this.add(operation(handle));
  }

  wholeFile(path: unknown, content: Buffer): void {
    const handle = this.name(path);
    if (handle === undefined) return;
    this.add({ kind: "truncate", handle, size: 0 });
    if (content.length > 0) this.add({ kind: "write", handle, at: 0, data: content });
  }

  folders(path: unknown, topmost: unknown): void {
    if (typeof path !== "string" || typeof topmost !== "string") return;
    if (path !== topmost && path !== dirname(path)) this.folders(dirname(path), topmost);
    this.at(path, (at) => ({ kind: "folder", path: at }));
  }
}

/** Replaces a function by one that calls it and then `record` with what it was given and what it returned. */
function after<Given extends unknown[], Result>(
  call: (...given: Given) => Result,
  record: (given: Given, result: Awaited<Result>) => void,
): (...given: Given) => Result {
  return (...given) => {
    const result = call(...given);
    if (result instanceof Promise) {
      return result.then((value: Awaited<Result>) => {
        record(given, value);
        return value;
      }) as Result;
    }
    record(given, result as Awaited<Result>);
    return result;
  };
}

/** PGlite's files, all synchronous. */
function recordedCalls(recorder: Recorder): Partial<typeof fs> {
  const writeSync = fs.writeSync as (...given: [number, Uint8Array, ...number[]]) => number;
  const mkdirSync = fs.mkdirSync as (path: PathLike) => undefined;
  return {
    openSync: after(fs.openSync, ([path], descriptor) => recorder.opened(descriptor, path)),
    closeSync: after(fs.closeSync, ([descriptor]) => recorder.closed(descriptor)),
    writeSync: after(writeSync, ([descriptor, bytes, ...[offset = 0, , at = 0]], written) => {
      const data = Buffer.from(bytes.slice(offset, offset + written));
      recorder.on(descriptor, (handle) => ({ kind: "write", handle, at, data }));
    }) as typeof fs.writeSync,
    ftruncateSync: after(fs.ftruncateSync, ([descriptor, size]) =>
      recorder.on(descriptor, (handle) => ({ kind: "truncate", handle, size: size ?? 0 })),
    ),
    truncateSync: after(fs.truncateSync, ([path, size]) => {
      const handle = recorder.name(path);
      if (handle !== undefined) recorder.add({ kind: "truncate", handle, size: size ?? 0 });
    }),
    fsyncSync: after(fs.fsyncSync, ([descriptor]) =>
      recorder.on(descriptor, (handle) => ({ kind: "sync", handle })),
    ),
    writeFileSync: after(fs.writeFileSync, ([path, data]) =>
      recorder.wholeFile(path, toBuffer(data)),
    ),
    renameSync: after(fs.renameSync, recordMove(recorder, "rename")),
    unlinkSync: after(fs.unlinkSync, ([path]) => recordRemoval(recorder, path)),
    rmdirSync: after(fs.rmdirSync, ([path]) => recordRemoval(recorder, path)),
    mkdirSync: after(mkdirSync, ([path]) => recorder.folders(path, path)),
  };
}

/** The service's own files. */
function recordedPromises(recorder: Recorder): Partial<typeof promises> {
  const { open, rm } = promises;
  const mkdir = promises.mkdir as (path: PathLike, options?: object) => Promise<string | undefined>;
  return {
    writeFile: after(promises.writeFile, ([path, data]) =>
      recorder.wholeFile(path, toBuffer(data)),
    ),
    copyFile: after(promises.copyFile, ([, to]) => recorder.wholeFile(to, fs.readFileSync(to))),
    rename: after(promises.rename, recordMove(recorder, "rename")),
    link: after(promises.link, recordMove(recorder, "link")),
    mkdir: after(mkdir, ([path, options], topmost) =>
      recorder.folders(path, options === undefined ? path : topmost),
    ) as typeof promises.mkdir,
    async rm(path, options) {
      const exists = fs.existsSync(path);
      await rm(path, options);
      if (exists) recordRemoval(recorder, path);
    },
    async open(path, ...rest) {
      const file = await open(path, ...rest);
      const sync = file.sync.bind(file);
      file.sync = async () => {
        const handle = recorder.name(path);
        if (handle !== undefined) recorder.add({ kind: "begin-sync", handle });
        await sync();
        if (handle !== undefined) recorder.add({ kind: "sync", handle });
      };
      return file;
    },
  };
}

function recordRemoval(recorder: Recorder, path: unknown): void {
  recorder.at(path, (at) => ({ kind: "remove", path: at }));
}

function recordMove(recorder: Recorder, kind: "rename" | "link") {
  return ([from, to]: [PathLike, PathLike]): void => {
    const [path, target] = [recorder.path(from), recorder.path(to)];
    if (path !== undefined && target !== undefined) recorder.add({ kind, path, to: target });
  };
}

function toBuffer(data: unknown): Buffer {
  return typeof data === "string" ? Buffer.from(data) : Buffer.from(data as Uint8Array);
}
