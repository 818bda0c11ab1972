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

/** What is compressed at once: each call goes to a thread and back, which costs as much as compressing a few KB. */
const blockBytes = 256 * 1024;

/** The bytes of a `.tar.gz` of `files`, in their order. Ending the iteration early closes everything. */
export async function* tarGz(files: readonly PackedFile[]): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const compressed = createGzip({ level: compressionLevel, memLevel: 9, chunkSize: blockBytes });
  const filling = fill(archive, files);
  const piping = pipeline(inBlocks(archive as AsyncIterable<Buffer>), compressed);
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

/** The same bytes in larger pieces. */
async function* inBlocks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < blockBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  yield Buffer.concat(waiting);
}

/** Byte 9 of a gzip header names the operating system; 255 is "unknown" (RFC 1952, 2.3.1). */
function forgetSystem(header: Buffer): void {
  header[9] = 255;
}

async function fill(archive: Pack, files: readonly PackedFile[]): Promise<void> {
  for (const file of files) await addFile(archive, file);
  archive.finalize();
}

async function addFile(archive: Pack, { path, source }: PackedFile): Promise<void> {
  if (typeof source !== "string") return await addContent(archive, path, source());
  const { size } = await stat(source);
  if (size <= wholeBytes) return await addContent(archive, path, await readFile(source));
  await pipeline(createReadStream(source), archive.entry(headerOf(path, size)));
}

async function addContent(archive: Pack, path: string, content: Uint8Array): Promise<void> {
  const { buffer, byteOffset, length } = content;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  archive.entry(headerOf(path, length), Buffer.from(buffer, byteOffset, length), (error) =>
    error ? reject(error) : resolve(),
  );
  await promise;
}

function headerOf(path: string, size: number) {
  return { name: path, mode: entryMode, mtime: modified, size };
}
