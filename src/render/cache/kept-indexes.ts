import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import { sha256 } from "../../core/index.ts";
import type { KeptIndex, KeptIndexes } from "../search/kept-index.ts";

const sumBytes = 4;

/**
 * Indexes of searches in a folder, a file for each name. `version` is of the program that made them: others would
 * make other files of the same pages.
 */
export function createKeptIndexes(folder: string, version: string): KeptIndexes {
  const fileOf = (name: string) => join(folder, sha256(name).slice(0, 32));
  return {
    read(name) {
      try {
        const bytes = readFileSync(fileOf(name));
        const content = bytes.subarray(sumBytes);
        if (bytes.readUInt32LE() !== crc32(content)) return undefined;
        const kept = deserialize(content) as {
          readonly version: string;
          readonly index: KeptIndex;
        };
        return kept.version === version ? kept.index : undefined;
      } catch {
        return undefined;
      }
    },
    keep(name, index) {
      const partial = join(folder, `${randomUUID()}.part`);
      try {
        mkdirSync(folder, { recursive: true });
        const content = serialize({ version, index });
        const sum = Buffer.alloc(sumBytes);
        sum.writeUInt32LE(crc32(content));
        writeFileSync(partial, Buffer.concat([sum, content]));
        renameSync(partial, fileOf(name));
      } catch {
        discard(partial);
      }
    },
  };
}

/** A full disk, a home that nobody may write to: the index is made anew next time. */
function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Its folder is no folder.
  }
}
