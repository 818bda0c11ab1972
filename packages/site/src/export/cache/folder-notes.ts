import { readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../core/index.ts";
import { readNote, writeNote } from "./note-file.ts";

/** What is known of folders outside the cache, by where they are. It can be lost at any time; no method throws. */
export interface FolderNotes<Note> {
  /** Undefined where nothing is known. */
  read(folder: string): Note | undefined;
  keep(folder: string, note: Note): void;
}

/** Folders that are remembered, those that were noted last: a service never comes back to one. */
const mostFolders = 8;

/** `version` is of the program that may read the notes. */
export function createFolderNotes<Note>(place: string, version: string): FolderNotes<Note> {
  function fileOf(folder: string): string | undefined {
    try {
      return join(place, sha256(realpathSync(folder)).slice(0, 32));
    } catch {
      return undefined;
    }
  }
  return {
    read(folder) {
      const file = fileOf(folder);
      return file === undefined ? undefined : (readNote(file, version) as Note | undefined);
    },
    keep(folder, note) {
      const file = fileOf(folder);
      if (file === undefined) return;
      writeNote(file, version, note);
      forgetOldest(place);
    },
  };
}

function forgetOldest(place: string): void {
  try {
    const found = readdirSync(place).map((name) => {
      const file = join(place, name);
      return { file, writtenMs: statSync(file).mtimeMs };
    });
    const oldest = found.toSorted((a, b) => b.writtenMs - a.writtenMs).slice(mostFolders);
    for (const { file } of oldest) rmSync(file, { force: true });
  } catch {
    // Another process was faster, or there is no folder.
  }
}
