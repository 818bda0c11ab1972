import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { statObject } from "./bucket.ts";
import type { Bucket } from "./bucket.ts";
import type {
  ListMultipartUploadsCommandOutput,
  ListPartsCommandOutput,
} from "./client.bundled.ts";

/** The size of a part. S3 accepts parts of at least 5 MiB and up to 10,000 parts per file, so a file can have 80 GB. */
export const partBytes = 8 * 1024 * 1024;
/** The maximum number of concurrent parts per file. Together with the size of a part, it limits the memory usage. */
const maxConcurrentParts = 4;

/** An open file to upload. */
interface UploadSource {
  readonly bytes: number;
  read(range: { readonly start: number; readonly bytes: number }): Promise<Buffer>;
}

interface Part {
  readonly number: number;
  readonly start: number;
  readonly bytes: number;
}

interface SentPart {
  readonly PartNumber: number;
  readonly ETag: string;
}

/** An upload, which S3 stores until it is completed or aborted. */
interface Upload {
  readonly bucket: Bucket;
  readonly key: string;
  readonly id: string;
}

/**
 * Sends a file in parts of a fixed size. Continues an interrupted upload of the same key, whose parts belong to this
 * file because files with the same key have the same bytes. The file does not exist until all parts are sent. A failed
 * upload is kept for the next attempt. If there is no further attempt, the removal of unfinished uploads aborts it.
 */
async function uploadInParts(bucket: Bucket, key: string, source: UploadSource): Promise<void> {
  const upload = (await findUpload(bucket, key)) ?? (await startUpload(bucket, key));
  const sent = await listSentParts(upload);
  const done: SentPart[] = [];
  const missing: Part[] = [];
  for (const part of listParts(source.bytes)) {
    const found = sent.get(part.number);
    if (found?.bytes === part.bytes) done.push({ PartNumber: part.number, ETag: found.tag });
    else missing.push(part);
  }
  done.push(...(await sendParts(upload, missing, source)));
  await completeUpload(
    upload,
    done.toSorted((a, b) => a.PartNumber - b.PartNumber),
  );
}

/**
 * Sends the missing parts. Throws the first failure only after all requests have ended, so that the source can be
 * closed.
 */
async function sendParts(
  upload: Upload,
  parts: readonly Part[],
  source: UploadSource,
): Promise<SentPart[]> {
  const pendingParts = [...parts];
  const sent: SentPart[] = [];
  const failures: unknown[] = [];
  const sendNext = async (): Promise<void> => {
    for (
      let part = pendingParts.shift();
      part && failures.length === 0;
      part = pendingParts.shift()
    ) {
      try {
        sent.push(await sendPart(upload, part, source));
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentParts }, sendNext));
  if (failures.length > 0) throw failures[0];
  return sent;
}

function listParts(bytes: number): Part[] {
  return Array.from({ length: Math.ceil(bytes / partBytes) }, (_, index) => {
    const start = index * partBytes;
    return { number: index + 1, start, bytes: Math.min(partBytes, bytes - start) };
  });
}

/** Finds the newest unfinished upload of this key. */
async function findUpload(bucket: Bucket, key: string): Promise<Upload | undefined> {
  const found: UnfinishedUpload[] = [];
  for await (const upload of listUploads(bucket, key)) {
    if (upload.key === key) found.push(upload);
  }
  const [newest] = found.toSorted((a, b) => b.startedAt - a.startedAt);
  return newest && { bucket, key, id: newest.id };
}

interface UnfinishedUpload {
  readonly key: string;
  readonly id: string;
  /** The time at which the upload started, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** Lists all unfinished uploads whose key begins with `prefix`. */
export async function* listUploads(
  bucket: Bucket,
  prefix: string,
): AsyncGenerator<UnfinishedUpload> {
  const { sdk, name } = bucket;
  let marker: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
  while (marker) {
    const command = new sdk.ListMultipartUploadsCommand({
      Bucket: name,
      Prefix: prefix,
      ...marker,
    });
    const page: ListMultipartUploadsCommandOutput = await bucket.send((client, limits) =>
      client.send(command, limits),
    );
    for (const { Key: key, UploadId: id, Initiated: started } of page.Uploads ?? []) {
      if (key && id) yield { key, id, startedAt: started?.getTime() ?? 0 };
    }
    marker = page.IsTruncated
      ? {
          ...(page.NextKeyMarker && { KeyMarker: page.NextKeyMarker }),
          ...(page.NextUploadIdMarker && { UploadIdMarker: page.NextUploadIdMarker }),
        }
      : undefined;
  }
}

async function startUpload(bucket: Bucket, key: string): Promise<Upload> {
  const command = new bucket.sdk.CreateMultipartUploadCommand({ Bucket: bucket.name, Key: key });
  const { UploadId: id } = await bucket.send((client, limits) => client.send(command, limits));
  if (!id) throw createIncompleteResponseError();
  return { bucket, key, id };
}

async function listSentParts(
  upload: Upload,
): Promise<Map<number, { readonly bytes: number; readonly tag: string }>> {
  const { sdk } = upload.bucket;
  const sent = new Map<number, { bytes: number; tag: string }>();
  let marker: string | undefined = "0";
  while (marker !== undefined) {
    const command = new sdk.ListPartsCommand({
      ...toUploadAddress(upload),
      PartNumberMarker: marker,
    });
    const page: ListPartsCommandOutput = await upload.bucket.send((client, limits) =>
      client.send(command, limits),
    );
    for (const { PartNumber: number, Size: bytes, ETag: tag } of page.Parts ?? []) {
      if (number !== undefined && bytes !== undefined && tag) sent.set(number, { bytes, tag });
    }
    marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
  }
  return sent;
}

async function sendPart(upload: Upload, part: Part, source: UploadSource): Promise<SentPart> {
  const { bucket } = upload;
  const Body = await source.read(part);
  const { ETag } = await bucket.send((client) => {
    const command = new bucket.sdk.UploadPartCommand({
      ...toUploadAddress(upload),
      PartNumber: part.number,
      Body,
      ContentLength: part.bytes,
    });
    return client.send(command, { requestTimeout: bucket.times.upload });
  });
  if (!ETag) throw createIncompleteResponseError();
  return { PartNumber: part.number, ETag };
}

async function completeUpload(upload: Upload, Parts: SentPart[]): Promise<void> {
  const { bucket } = upload;
  const command = new bucket.sdk.CompleteMultipartUploadCommand({
    ...toUploadAddress(upload),
    MultipartUpload: { Parts },
  });
  try {
    // The response may be slow, because the server may assemble the parts before it responds.
    const options = { requestTimeout: bucket.times.upload };
    await bucket.send((client) => client.send(command, options));
  } catch (error) {
    // The upload was already completed, either by another attempt at the same file or by this request if its response
    // was lost.
    if (isOctavoError(error, "not_found") && (await statObject(bucket, upload.key))) return;
    throw isOctavoError(error, "not_found") ? createAbortedUploadError(error) : error;
  }
}

function toUploadAddress({ bucket, key, id }: Upload) {
  return { Bucket: bucket.name, Key: key, UploadId: id };
}

function createAbortedUploadError(cause: unknown): OctavoError {
  const message = "Another program aborted an upload to the S3 storage; try again.";
  return new OctavoError("unavailable", message, { cause });
}

function createIncompleteResponseError(): OctavoError {
  return new OctavoError(
    "unavailable",
    "The S3 storage's response to an upload was incomplete; check that OCTAVO_S3_ENDPOINT is an S3 server.",
  );
}

/** Stores a file under a new key in one request, or in parts if the file is large. */
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

/**
 * Reads a part into a buffer rather than a stream, so that its hash can be signed, its length is known, and it can be
 * sent again.
 */
async function readBytes(
  file: FileHandle,
  { start, bytes }: { readonly start: number; readonly bytes: number },
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(bytes);
  for (let done = 0; done < bytes;) {
    const { bytesRead } = await file.read(buffer, done, bytes - done, start + done);
    if (bytesRead === 0)
      throw new OctavoError("internal", "A file changed while it was being stored.");
    done += bytesRead;
  }
  return buffer;
}
