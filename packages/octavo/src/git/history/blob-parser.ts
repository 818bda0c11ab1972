/** Gets an object's bytes, which are valid until it returns; undefined for one that is missing. */
export type VisitBlob = (bytes: Uint8Array | undefined) => boolean;

const newline = 0x0a;
/** A name of 64 digits, a type and a size. */
const maxHeaderLength = 200;

/**
 * Reads what `git cat-file --batch` writes, in pieces of any size: a line with type and size, the bytes, a line
 * break. One object is held in memory at a time. Returns false once `visit` did, or for what git would not write.
 */
export function createBlobParser(visit: VisitBlob): (chunk: Buffer) => boolean {
  let header = "";
  let body: { readonly bytes: Buffer; filled: number } | undefined;

  /** How much of the chunk was taken; undefined at the end. */
  function takeHeader(chunk: Buffer): number | undefined {
    const end = chunk.indexOf(newline);
    header += chunk.toString("latin1", 0, end < 0 ? chunk.length : end);
    if (end < 0) return header.length > maxHeaderLength ? undefined : chunk.length;
    const [, size] = /^[0-9a-f]+ [a-z]+ (\d+)$/.exec(header) ?? [];
    header = "";
    if (size !== undefined) body = { bytes: Buffer.allocUnsafe(Number(size) + 1), filled: 0 };
    else if (!visit(undefined)) return undefined;
    return end + 1;
  }

  function takeBody(chunk: Buffer, open: NonNullable<typeof body>): number | undefined {
    const taken = chunk.copy(open.bytes, open.filled);
    open.filled += taken;
    if (open.filled < open.bytes.length) return taken;
    body = undefined;
    return visit(open.bytes.subarray(0, -1)) ? taken : undefined;
  }

  return (chunk) => {
    for (let rest = chunk; rest.length > 0;) {
      const taken = body ? takeBody(rest, body) : takeHeader(rest);
      if (taken === undefined) return false;
      rest = rest.subarray(taken);
    }
    return true;
  };
}
