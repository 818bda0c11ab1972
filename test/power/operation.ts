import { readFileSync } from "node:fs";

/**
 * A program's operation on the files below one folder. Paths are relative to that folder, which is `""` itself; a
 * handle is a file that was opened, whatever its name has become.
 */
export type Operation =
  | { readonly kind: "open"; readonly handle: number; readonly path: string }
  | FileChange
  /** A flush that takes effect with the `sync` of the same handle, and covers nothing that comes after this. */
  | { readonly kind: "begin-sync"; readonly handle: number }
  | { readonly kind: "sync"; readonly handle: number }
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
  | { readonly kind: "link"; readonly path: string; readonly to: string }
  | { readonly kind: "remove"; readonly path: string }
  /** Something was acknowledged. */
  | { readonly kind: "acknowledge"; readonly value: unknown };

export type FileChange =
  | { readonly kind: "write"; readonly handle: number; readonly at: number; readonly data: Buffer }
  | { readonly kind: "truncate"; readonly handle: number; readonly size: number };

const noData = Buffer.alloc(0);

interface Head {
  readonly fields: Operation;
  /**
   * The length of a write. Its data follow the head, except for zeros, with which PostgreSQL fills each segment of its
   * log.
   */
  readonly bytes: number;
}

export function encodeOperation(operation: Operation): Buffer {
  const { data = noData, ...fields } = { data: undefined, ...operation };
  const stored = data.some((byte) => byte !== 0) ? data : noData;
  const head: Head = { fields: fields as Operation, bytes: data.length };
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(text.length);
  lengths.writeUInt32LE(stored.length, 4);
  return Buffer.concat([lengths, text, stored]);
}

export function readOperations(file: string): Operation[] {
  const log = readFileSync(file);
  const operations: Operation[] = [];
  for (let at = 0; at < log.length;) {
    const dataAt = at + 8 + log.readUInt32LE(at);
    const end = dataAt + log.readUInt32LE(at + 4);
    const { fields, bytes } = JSON.parse(log.toString("utf8", at + 8, dataAt)) as Head;
    const data = end > dataAt ? log.subarray(dataAt, end) : Buffer.alloc(bytes);
    operations.push(fields.kind === "write" ? { ...fields, data } : fields);
    at = end;
  }
  return operations;
}
