import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Transform, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { OctavoError, isSystemError } from "@octavo/site/core";
import { createId, createSlots } from "../../core/index.ts";
import type { SpaceWatch } from "../../core/index.ts";
import type { Database } from "../../db/index.ts";
import type { Storage } from "../../storage/index.ts";
import { openWorkFolder } from "../lifecycle/work-folder.ts";
import type { RepackedUpload, RepackUpload } from "../ports.ts";
import { hashBundle, recordBundle } from "../static-export/build-bundle.ts";

/** The maximum size of an uploaded archive. Its files may have four times that size. */
export const maxUploadBytes = 512 * 1024 * 1024;

export interface UploadRequest {
  readonly format: "tar.gz" | "zip";
  readonly projectId: string;
  readonly signal: AbortSignal;
}

/** An uploaded bundle in the storage. */
export interface Upload extends RepackedUpload {
  readonly bundleKey: string;
  readonly bundleBytes: number;
  /** The hash of the archive as it was sent. */
  readonly sha256: string;
}

/** Receives archives with the files of a site, and stores each as a bundle. */
export interface Uploads {
  /**
   * Reads an archive to its end and stores its files as a bundle. Throws `invalid_input` and `too_large` as
   * `RepackUpload` does, and `unavailable` while disk space is low.
   */
  receive(content: Readable, request: UploadRequest): Promise<Upload>;
}

export interface UploadsOptions {
  readonly database: Database;
  readonly storage: Storage;
  readonly repackUpload: RepackUpload;
  /** The folder for the archive and its files while they are repacked. */
  readonly workDir: string;
  readonly space: SpaceWatch;
  /** The number of archives that are unpacked at the same time; others wait. */
  readonly slots: number;
}

export function createUploads({
  database,
  storage,
  repackUpload,
  workDir,
  space,
  slots: count,
}: UploadsOptions): Uploads {
  const slots = createSlots(count);
  return {
    async receive(content, { format, projectId, signal: requestSignal }) {
      const { shortage } = space;
      shortage.throwIfAborted();
      const signal = AbortSignal.any([requestSignal, shortage]);
      await using folder = await openWorkFolder(join(workDir, createId("deployment")));
      const file = join(folder.path, `upload.${format}`);
      const { bytes, sha256 } = await save(content, file, signal);
      const unpackedFolder = join(folder.path, "site");
      await mkdir(unpackedFolder);
      const outFile = join(folder.path, "bundle.zip");
      const site = await slots.run(() =>
        repackUpload(
          { file, format, bytes, folder: unpackedFolder, outFile },
          { signal, projectId },
        ),
      );
      const packed = await hashBundle(outFile);
      const bundleKey = `bundles/${packed.sha256}.zip`;
      await recordBundle(database, bundleKey);
      await storage.put(bundleKey, outFile);
      return { ...site, bundleKey, bundleBytes: packed.bytes, sha256 };
    },
  };
}

/** Writes an upload to a file. Throws `too_large` as soon as it has too many bytes. */
async function save(
  content: Readable,
  file: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash("sha256");
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      done(bytes > maxUploadBytes ? createTooLargeError() : null, chunk);
    },
  });
  try {
    await pipeline(content, meter, createWriteStream(file, { flags: "wx" }), { signal });
  } catch (cause) {
    signal.throwIfAborted();
    const isConnectionLost = isSystemError(cause, "ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE");
    if (!isConnectionLost) throw cause;
    throw new OctavoError("invalid_input", "The archive was not received completely.", { cause });
  }
  return { bytes, sha256: hash.digest("hex") };
}

function createTooLargeError(): OctavoError {
  return new OctavoError(
    "too_large",
    `The archive is larger than ${maxUploadBytes / 1024 ** 2} MB.`,
  );
}
