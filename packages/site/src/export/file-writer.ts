import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { OctavoError, nameFileInError, resolveInside } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";

/** Writes the files of a bundle into an empty folder. Refuses to write after it has been disposed of. */
export interface FileWriter extends Disposable {
  /** Creates the folder of a file and returns the file's full path. */
  prepare(path: string): string;
  write(path: string, content: BundleFile["content"]): void;
  /** Changes the text of a file that was already written. */
  rewrite(path: string, change: (text: string) => string): void;
}

/** Writes a file. If the disk is full, the error names the file, which the system's error does not. */
function writeNamed(file: string, content: BundleFile["content"]): void {
  try {
    writeFileSync(file, content);
  } catch (error) {
    nameFileInError(error, file);
    throw error;
  }
}

export function createFileWriter(root: string): FileWriter {
  const folders = new Set<string>();
  let isClosed = false;
  function prepare(path: string): string {
    // A late write would recreate a removed folder.
    if (isClosed)
      throw new OctavoError("cancelled", `The export ended before ${path} was written.`);
    const file = resolveInside(root, path);
    const folder = dirname(file);
    if (!folders.has(folder)) mkdirSync(folder, { recursive: true });
    folders.add(folder);
    return file;
  }
  return {
    prepare,
    write: (path, content) => writeNamed(prepare(path), content),
    rewrite(path, change) {
      const file = prepare(path);
      writeNamed(file, change(readFileSync(file, "utf8")));
    },
    [Symbol.dispose]() {
      isClosed = true;
    },
  };
}
