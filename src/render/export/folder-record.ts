import { randomUUID } from "node:crypto";
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../core/index.ts";

/** What an export wrote to a folder, by path. */
export type FolderRecord = ReadonlyMap<string, WrittenFile>;

export interface WrittenFile {
  /** What it was made of; undefined where nobody can say so, and it is written each time. */
  readonly identity: string | undefined;
  /** How it looked when it was written. */
  readonly stamp: string;
  readonly bytes: number;
}

export const emptyRecord: FolderRecord = new Map();

/** Other than before when anybody wrote to the file, put another in its place or set its times, which changes `ctime`. */
export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

/** Folders that are remembered, those that were written last: a service never writes to one twice. */
const mostFolders = 8;

/**
 * Records of folders in a cache, each of the last export that ended well there. They can be lost at any time; no
 * method throws.
 */
export interface FolderRecords {
  /** Empty where nothing is known. */
  read(outDir: string): FolderRecord;
  keep(outDir: string, record: FolderRecord): void;
}

export function createFolderRecords(cacheDir: string): FolderRecords {
  const folder = join(cacheDir, "folders");
  const fileOf = (outDir: string) => join(folder, sha256(realpathSync(outDir)).slice(0, 32));
  return {
    read(outDir) {
      try {
        return parseRecord(readFileSync(fileOf(outDir), "utf8"));
      } catch {
        return emptyRecord;
      }
    },
    keep(outDir, record) {
      const partial = join(folder, `${randomUUID()}.part`);
      try {
        mkdirSync(folder, { recursive: true });
        writeFileSync(partial, writeRecord(record));
        renameSync(partial, fileOf(outDir));
        forgetOldest(folder);
      } catch {
        // A full disk, a home that nobody may write to: everything is written again next time.
      }
    },
  };
}

/** Changes with the format of what is kept. */
const version = 1;

function writeRecord(record: FolderRecord): string {
  const files: (readonly [string, string, string, number])[] = [];
  for (const [path, { identity, stamp, bytes }] of record) {
    if (identity !== undefined) files.push([path, identity, stamp, bytes]);
  }
  return JSON.stringify({ version, files });
}

function parseRecord(text: string): FolderRecord {
  const kept = JSON.parse(text) as {
    readonly version: number;
    readonly files: readonly (readonly [string, string, string, number])[];
  };
  if (kept.version !== version) return emptyRecord;
  return new Map(
    kept.files.map(([path, identity, stamp, bytes]) => [path, { identity, stamp, bytes }]),
  );
}

function forgetOldest(folder: string): void {
  const found = readdirSync(folder).map((name) => {
    const file = join(folder, name);
    return { file, writtenMs: statSync(file).mtimeMs };
  });
  const oldest = found.toSorted((a, b) => b.writtenMs - a.writtenMs).slice(mostFolders);
  for (const { file } of oldest) rmSync(file, { force: true });
}
