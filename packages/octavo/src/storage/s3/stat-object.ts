import { OctavoError, isOctavoError } from "@octavo/site/core";
import type { StoredFile } from "../storage.ts";
import type { Bucket } from "./bucket.ts";

/** Undefined if there is no such file, or no such bucket: a HEAD does not say which. */
export async function statObject(bucket: Bucket, key: string): Promise<StoredFile | undefined> {
  const command = new bucket.sdk.HeadObjectCommand({ Bucket: bucket.name, Key: key });
  try {
    const head = await bucket.send((client, limits) => client.send(command, limits));
    if (head.ContentLength === undefined) throw withoutLength();
    return { bytes: head.ContentLength, modifiedAt: head.LastModified ?? new Date(0) };
  } catch (error) {
    if (isOctavoError(error, "not_found")) return undefined;
    throw error;
  }
}

export function withoutLength(): OctavoError {
  return new OctavoError(
    "unavailable",
    "The S3 storage did not answer with the length of a file; check that OCTAVO_S3_ENDPOINT is an S3 server.",
  );
}
