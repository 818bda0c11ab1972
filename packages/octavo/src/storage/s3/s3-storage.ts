import { randomUUID } from "node:crypto";
import { pipeline, Transform } from "node:stream";
import type { Readable } from "node:stream";
import { isOctavoError, OctavoError, createTimeoutSignal } from "@octavo/site/core";
import { requireStorageKey } from "../storage.ts";
import type { ByteRange, DirectLinkOptions, Storage } from "../storage.ts";
import {
  openBucket,
  statObject,
  createMissingLengthError,
  createMissingBucketError,
} from "./bucket.ts";
import type { Bucket, S3StorageOptions } from "./bucket.ts";
import { listUploads, putFile } from "./upload-in-parts.ts";

/** The key of the file that every ping overwrites. */
const pingKey = "octavo-ping";

interface CheckedBodyOptions {
  /** The expected size of the body. */
  readonly bytes: number;
  /** The maximum time to wait for more data while the body is read as fast as it arrives. */
  readonly idleTimeoutMs: number;
}

/**
 * Creates a storage in a bucket on Amazon S3 or a compatible server. Loads the SDK without sending anything. Throws
 * `invalid_input` if the region is unknown. All methods throw `unavailable` if the storage fails.
 */
export async function createS3Storage(options: S3StorageOptions): Promise<Storage> {
  const bucket = await openBucket(options);
  const keyOf = (key: string): string => {
    requireStorageKey(key);
    return bucket.keyOf(key);
  };
  return {
    async put(key, sourceFile) {
      const fullKey = keyOf(key);
      if (!(await statObject(bucket, fullKey))) await putFile(bucket, fullKey, sourceFile);
    },
    async stat(key) {
      const found = await statObject(bucket, keyOf(key));
      // The response to a HEAD request does not indicate whether the file or the bucket is missing.
      if (!found) await requireBucket(bucket);
      return found;
    },
    read: async (key, range) => readObject(bucket, keyOf(key), range),
    delete: async (key) => deleteObject(bucket, keyOf(key)),
    ping: () => writePing(bucket),
    removeUnfinished: (before) => abortUploads(bucket, before),
    directLink: options.hasDirectLinks
      ? async (key, link) => signLink(bucket, keyOf(key), link)
      : undefined,
  };
}

async function requireBucket({ sdk, name, send }: Bucket): Promise<void> {
  const command = new sdk.HeadBucketCommand({ Bucket: name });
  try {
    await send((client, limits) => client.send(command, limits));
  } catch (error) {
    throw isOctavoError(error, "not_found") ? createMissingBucketError(name) : error;
  }
}

async function readObject(bucket: Bucket, key: string, range?: ByteRange): Promise<Readable> {
  const command = new bucket.sdk.GetObjectCommand({
    Bucket: bucket.name,
    Key: key,
    ...(range && { Range: `bytes=${range.start}-${range.end}` }),
  });
  const { Body, ContentLength } = await bucket.send((client, limits) =>
    client.send(command, limits),
  );
  const body = Body as Readable;
  const bytes = range ? range.end - range.start + 1 : ContentLength;
  if (bytes !== undefined && bytes === ContentLength) {
    return checkBody(body, { bytes, idleTimeoutMs: bucket.times.idle });
  }
  body.destroy();
  throw createMissingLengthError();
}

async function deleteObject(bucket: Bucket, key: string): Promise<void> {
  const command = new bucket.sdk.DeleteObjectCommand({ Bucket: bucket.name, Key: key });
  const abortSignal = createTimeoutSignal(bucket.times.removal);
  try {
    await bucket.send((client, limits) => client.send(command, { ...limits, abortSignal }));
  } catch (error) {
    if (!isOctavoError(error, "not_found")) throw error;
  }
}

async function writePing({ sdk, name, send, keyOf, times }: Bucket): Promise<void> {
  const command = new sdk.PutObjectCommand({
    Bucket: name,
    Key: keyOf(pingKey),
    Body: Buffer.from(randomUUID()),
  });
  const abortSignal = createTimeoutSignal(times.ping);
  try {
    await send((client, limits) => client.send(command, { ...limits, abortSignal }));
  } catch (error) {
    throw isOctavoError(error, "not_found") ? createMissingBucketError(name) : error;
  }
}

async function abortUploads(bucket: Bucket, before: Date): Promise<void> {
  const { sdk, name, send } = bucket;
  for await (const { key, id, startedAt } of listUploads(bucket, bucket.keyOf(""))) {
    if (startedAt >= before.getTime()) continue;
    const command = new sdk.AbortMultipartUploadCommand({ Bucket: name, Key: key, UploadId: id });
    try {
      await send((client, limits) => client.send(command, limits));
    } catch (error) {
      // Another node has already aborted the upload.
      if (!isOctavoError(error, "not_found")) throw error;
    }
  }
}

async function signLink(
  { sdk, name, send }: Bucket,
  key: string,
  { fileName, contentType, seconds }: DirectLinkOptions,
): Promise<string> {
  const command = new sdk.GetObjectCommand({
    Bucket: name,
    Key: key,
    ResponseContentDisposition: `attachment; filename="${fileName}"`,
    ResponseContentType: contentType,
  });
  return await send((client) => sdk.getSignedUrl(client, command, { expiresIn: seconds }));
}

/**
 * Checks the body of a response. The returned stream ends only if the body is complete, and fails with `unavailable` if
 * the body is truncated, too long or stalled. Destroying the stream closes the connection.
 */
function checkBody(body: Readable, { bytes, idleTimeoutMs }: CheckedBodyOptions): Readable {
  let received = 0;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      timer.refresh();
      if (received > bytes) done(createBrokenFileError(`has more than ${bytes} bytes`));
      else done(null, chunk);
    },
    flush(done) {
      done(
        received === bytes
          ? null
          : createBrokenFileError(`ended after ${received} of ${bytes} bytes`),
      );
    },
  });
  const timer = setTimeout(function check() {
    // If the stream is waiting to be drained, the reader is slow, not the storage.
    if (checked.writableNeedDrain) timer.refresh();
    else body.destroy(createBrokenFileError(`stalled after ${received} of ${bytes} bytes`));
  }, idleTimeoutMs);
  const toInterruption = (cause: Error) =>
    isOctavoError(cause)
      ? cause
      : createBrokenFileError(`was cut off after ${received} of ${bytes} bytes`, cause);
  // This listener is called before the pipeline forwards the connection's error.
  body.once("error", (error) => checked.destroy(toInterruption(error)));
  pipeline(body, checked, () => clearTimeout(timer));
  return checked;
}

function createBrokenFileError(problem: string, cause?: Error): OctavoError {
  return new OctavoError("unavailable", `A file from the S3 storage ${problem}; try again.`, {
    cause,
  });
}
