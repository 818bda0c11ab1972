import { join } from "node:path";
import { sha256 } from "../../core/index.ts";
import type { KeptIndex, KeptIndexes } from "../../search/index.ts";
import { readNote, writeNote } from "./note-file.ts";

/**
 * Indexes of searches in a folder, a file for each name. `version` is of the program that made them: others would
 * make other files of the same pages.
 */
export function createKeptIndexes(folder: string, version: string): KeptIndexes {
  const fileOf = (name: string) => join(folder, sha256(name).slice(0, 32));
  return {
    read: (name) => readNote(fileOf(name), version) as KeptIndex | undefined,
    keep: (name, index) => writeNote(fileOf(name), version, index),
  };
}
