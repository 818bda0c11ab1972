import { createReadStream } from "node:fs";
import { extname } from "node:path";
import { Readable } from "node:stream";
import type { PassThrough } from "node:stream";
import { ZipFile } from "yazl";
import { compressionLevel, entryMode, entryYear } from "./packed-file.ts";
import type { PackedFile } from "./packed-file.ts";

/** Compressed by their own format; deflating them again costs time and gains nothing. */
const storedExtensions = new Set([
  ".avif",
  ".gif",
  ".gz",
  ".jpeg",
  ".jpg",
  ".mp4",
  ".png",
  ".webm",
  ".webp",
  ".woff2",
  ".zip",
]);

/** The bytes of a `.zip` of `files`, in their order. Ending the iteration early closes everything. */
export async function* zip(files: readonly PackedFile[]): AsyncGenerator<Uint8Array> {
  const archive = new ZipFile();
  // yazl's type is wider than what it returns.
  const output = archive.outputStream as PassThrough;
  const fail = (error: Error) => output.destroy(error);
  archive.on("error", fail);
  // A zip holds local time, so the same local moment gives the same bytes in every time zone.
  const mtime = new Date(entryYear, 0, 1);
  let reading: Readable | undefined;
  for (const file of files) {
    archive.addReadStreamLazy(file.path, { mtime, ...entryOptions(file.path) }, (done) => {
      // yazl does not listen to a stream that it is given, and an error that nobody hears ends the process.
      reading = open(file.source).once("error", fail);
      done(undefined, reading);
    });
  }
  archive.end();
  try {
    yield* output as AsyncIterable<Buffer>;
  } finally {
    reading?.destroy();
  }
}

function open(source: PackedFile["source"]): Readable {
  return typeof source === "string"
    ? createReadStream(source)
    : Readable.from([source()], { objectMode: false });
}

function entryOptions(path: string) {
  const compress = !storedExtensions.has(extname(path).toLowerCase());
  return {
    mode: 0o100_000 | entryMode, // a regular file
    // Without it the entry also carries the moment in UTC, which differs between time zones.
    forceDosTimestamp: true,
    compress,
    compressionLevel: compress ? compressionLevel : 0,
  };
}
