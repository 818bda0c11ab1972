import { createFolderNotes } from "./cache/folder-notes.ts";
import type { FileStamp } from "./file-stamp.ts";

/** What an export wrote to a folder, by path. */
export type FolderRecord = ReadonlyMap<string, WrittenFile>;

export interface WrittenFile {
  /** What it was made of; undefined where nobody can say so, and it is written each time. */
  readonly identity?: string | undefined;
  /** Of a file of parts: what each was made of, and its bytes. */
  readonly parts?: readonly WrittenPart[] | undefined;
  /** How it looked when it was written. */
  readonly stamp: FileStamp;
}

export type WrittenPart = readonly [identity: string, bytes: number];

export const emptyRecord: FolderRecord = new Map();

/** Records of folders in a cache, each of the last export that ended well there; empty where nothing is known. */
export interface FolderRecords {
  read(outDir: string): FolderRecord;
  keep(outDir: string, record: FolderRecord): void;
}

/** `version` is of the program: what others made of the same is no other file to it. */
export function createFolderRecords(place: string, version: string): FolderRecords {
  const notes = createFolderNotes<readonly (readonly [string, WrittenFile])[]>(place, version);
  return {
    read: (outDir) => new Map(notes.read(outDir)),
    keep(outDir, record) {
      const known = [...record].filter(([, { identity, parts }]) => identity ?? parts);
      notes.keep(outDir, known);
    },
  };
}
