import { sha256 } from "./hash.ts";

/** One file of a bundle. `path` is relative to the bundle's root, with forward slashes. */
export interface BundleFile {
  readonly path: string;
  /** May be made only when it is read: it is not read if the fingerprint shows that the file is there already. */
  readonly content: string | Uint8Array;
  /** A hash of what the file is made of: two files of one fingerprint have the same bytes. Absent where it is unknown. */
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
  /** As for a file. */
  readonly fingerprint?: string | undefined;
  /** May be called again. */
  bytes(): Uint8Array;
}

/** How a page of a bundle is addressed: `guides/start.html` or `guides/start/index.html`. */
export const addressForms = ["file", "folder"] as const;

export type AddressForm = (typeof addressForms)[number];

/**
 * A file whose content is made once, when it is read. `about` is a hash of everything that it is made of, or of more;
 * undefined if unknown.
 */
export function createLazyFile(
  path: string,
  about: string | undefined,
  make: () => string,
): BundleFile {
  let made: string | undefined;
  return {
    path,
    fingerprint: about && sha256(`${about} ${path}`).slice(0, 32),
    get content() {
      return (made ??= make());
    },
  };
}
