import { constants, readFileSync, statSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { resolveRealPathSync, sha256 } from "../core/index.ts";
import { maxWholeBytes } from "./archive/packed-file.ts";
import type { PackedFile } from "./archive/packed-file.ts";
import type { BundleFile, FilePart } from "../core/index.ts";
import { copyFingerprint, isPathTaken } from "./bundle-folder.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import { createFileWriter } from "./file-writer.ts";
import { emptyManifest } from "./manifest.ts";

/**
 * Opens a bundle that becomes an archive. Only rendered pages, which nothing could supply again when the archive is
 * packed, are written to the folder, which must be empty. Cached pages, the site's own files and files built from all
 * pages go into the archive from their current location.
 */
export function openBundleArchive(
  scratch: string,
  { isNewFolder }: { readonly isNewFolder: boolean },
): BundleFolder {
  const folder = createFileWriter(scratch);
  const files = new Map<string, Omit<PackedFile, "path">>();
  return {
    isTaken: (path) => isPathTaken(files, path),
    write(file, fingerprint) {
      folder.write(file.path, toBytes(file));
      files.set(file.path, { source: join(scratch, file.path), fingerprint });
    },
    keep: () => false,
    place(file, own) {
      const { parts } = file;
      const fingerprint = own ?? joinFingerprints(parts);
      files.set(file.path, { source: () => toBytes(file), fingerprint, parts });
    },
    rewrite(path, change, fingerprint) {
      folder.rewrite(path, change);
      files.set(path, { source: join(scratch, path), fingerprint });
    },
    async copyAsset(siteRoot, path) {
      const source = resolveRealPathSync(siteRoot, path);
      await access(source, constants.R_OK);
      const fingerprint = isNewFolder
        ? contentHash(source)
        : copyFingerprint(source, statSync(source));
      files.set(path, { source, fingerprint });
    },
    finish: () => ({
      bytes: 0,
      manifest: emptyManifest,
      files: Array.from(files, ([path, file]) => ({ path, ...file })),
    }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Returns undefined if the fingerprint of a part is undefined. */
function joinFingerprints(parts: readonly FilePart[] | undefined): string | undefined {
  const known = parts?.flatMap(({ fingerprint = [] }) => fingerprint);
  return known && known.length === parts?.length ? sha256(JSON.stringify(known)) : undefined;
}

/** Returns undefined for a long file, which is not cached. */
function contentHash(file: string): string | undefined {
  return statSync(file).size > maxWholeBytes ? undefined : sha256(readFileSync(file));
}

function toBytes({ content }: BundleFile): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : content;
}
