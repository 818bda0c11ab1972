import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { OctavoError } from "@octavo/site/core";
import type { Bucket } from "./bucket.ts";
import { partBytes, uploadInParts } from "./upload-in-parts.ts";

/** Stores the file under a key that does not exist yet: in one request, or in parts where it is large. */
export async function putFile(bucket: Bucket, key: string, sourceFile: string): Promise<void> {
  await using file = await open(sourceFile);
  const { size } = await file.stat();
  if (size > partBytes) {
    await uploadInParts(bucket, key, { bytes: size, read: (range) => readBytes(file, range) });
    return;
  }
  const Body = await readBytes(file, { start: 0, bytes: size });
  const { sdk, name, times } = bucket;
  await bucket.send((client) => {
    const command = new sdk.PutObjectCommand({ Bucket: name, Key: key, Body, ContentLength: size });
    return client.send(command, { requestTimeout: times.upload });
  });
}

/** A part as a buffer, not a stream: its hash is signed, its length is known, and it can be sent again. */
async function readBytes(
  file: FileHandle,
  { start, bytes }: { readonly start: number; readonly bytes: number },
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  for (let done = 0; done < bytes;) {
    const { bytesRead } = await file.read(buffer, done, bytes - done, start + done);
    if (bytesRead === 0) throw new OctavoError("internal", "A file changed while it was stored.");
    done += bytesRead;
  }
  return buffer;
}
