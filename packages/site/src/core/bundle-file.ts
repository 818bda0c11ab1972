import { sha256 } from "./hash.ts";

/** One file of a bundle. `path` is relative to the bundle's root, with forward slashes. */
export interface BundleFile {
  readonly path: string;
  /** May be created on first read. It is not read if the fingerprint shows that the file is up to date. */
  readonly content: string | Uint8Array;
  /** A hash of the file's inputs: two files with the same fingerprint have the same bytes. Absent if unknown. */
  readonly fingerprint?: string | undefined;
  /** The content in parts, where most of them stay the same from export to export. */
  readonly parts?: readonly FilePart[];
}

export interface FilePart {
  /**
   * The name of what the part belongs to, the same in every export: it determines which parts of an archive are packed
   * together.
   */
  readonly name: string;
  /** A hash of the part's inputs, as for a file. */
  readonly fingerprint?: string | undefined;
  /** Returns the part's bytes. May be called again. */
  bytes(): Uint8Array;
}

/**
 * The forms of a page's address in a bundle: `guides/start.html`, `guides/start/index.html`, or `guides/start` for hosts
 * that serve the file `guides/start.html` there.
 */
export const addressForms = ["file", "folder", "clean"] as const;

export type AddressForm = (typeof addressForms)[number];

/**
 * A file whose content is made once, when it is read. `about` is a hash of everything that it is made of, or of more;
 * undefined if unknown.
 */
export function createLazyFile(
  path: string,
  about: string | undefined,
  make: () => string | Uint8Array,
): BundleFile {
  let made: string | Uint8Array | undefined;
  return {
    path,
    fingerprint: about && sha256(`${about} ${path}`).slice(0, 32),
    get content() {
      return (made ??= make());
    },
  };
}
