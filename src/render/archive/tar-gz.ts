import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";
import type { Pack } from "tar-stream";
import { compressionLevel, entryMode, entryYear } from "./packed-file.ts";
import type { PackedFile } from "./packed-file.ts";

const modified = new Date(Date.UTC(entryYear, 0, 1));

/** Files up to this size are read whole: one read and no stream for each of thousands of pages. */
const wholeBytes = 1024 * 1024;

/** The bytes of a `.tar.gz` of `files`, in their order. Ending the iteration early closes everything. */
export async function* tarGz(files: readonly PackedFile[]): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const compressed = createGzip({ level: compressionLevel, memLevel: 9, chunkSize: 64 * 1024 });
  const filling = fill(archive, files);
  const piping = pipeline(archive, compressed);
  // Whichever fails first destroys the others; the reader below then gets that error.
  filling.catch((error: Error) => archive.destroy(error));
  piping.catch(() => undefined);
  try {
    let isFirst = true;
    for await (const chunk of compressed as AsyncIterable<Buffer>) {
      if (isFirst) forgetSystem(chunk);
      isFirst = false;
      yield chunk;
    }
    await filling;
  } finally {
    archive.destroy();
    compressed.destroy();
  }
}

/** Byte 9 of a gzip header names the operating system; 255 is "unknown" (RFC 1952, 2.3.1). */
function forgetSystem(header: Buffer): void {
  header[9] = 255;
}

async function fill(archive: Pack, files: readonly PackedFile[]): Promise<void> {
  for (const file of files) await addFile(archive, file);
  archive.finalize();
}

async function addFile(archive: Pack, file: PackedFile): Promise<void> {
  const { size } = await stat(file.source);
  const header = { name: file.path, mode: entryMode, mtime: modified, size };
  if (size > wholeBytes) {
    await pipeline(createReadStream(file.source), archive.entry(header));
    return;
  }
  const content = await readFile(file.source);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  archive.entry(header, content, (error) => (error ? reject(error) : resolve()));
  await promise;
}
