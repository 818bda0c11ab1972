import { sha256 } from "./hash.ts";

/** One file of a bundle. `path` is relative to the bundle's root, with forward slashes. */
export interface BundleFile {
  readonly path: string;
  /**
   * The content, which may be created on first access. It is not read if the fingerprint shows that the file is up to
   * date.
   */
  readonly content: string | Uint8Array;
  /** A hash of the file's inputs: two files with the same fingerprint have the same bytes. Absent if unknown. */
  readonly fingerprint?: string | undefined;
  /** The content in parts, for a file in which most parts stay the same from export to export. */
  readonly parts?: readonly FilePart[];
}

export interface FilePart {
  /**
   * The name of the item to which the part belongs. It is the same in every export and determines which parts are
   * packed together in an archive.
   */
  readonly name: string;
  /** A hash of the part's inputs, as for a file. */
  readonly fingerprint?: string | undefined;
  /** Returns the part's bytes. May be called again. */
  bytes(): Uint8Array;
}

/**
 * The forms of a page's address in a bundle: `guides/start.html`, `guides/start/index.html`, or `guides/start` for
 * hosts that serve the file `guides/start.html` at that address.
 */
export const addressForms = ["file", "folder", "clean"] as const;

export type AddressForm = (typeof addressForms)[number];

/**
 * Creates a file whose content is created once, on first read. `inputsHash` is a hash of at least everything that
 * determines the content. Returns undefined if unknown.
 */
export function createLazyFile(
  path: string,
  inputsHash: string | undefined,
  createContent: () => string | Uint8Array,
): BundleFile {
  let cachedContent: string | Uint8Array | undefined;
  return {
    path,
    fingerprint: inputsHash && sha256(`${inputsHash} ${path}`).slice(0, 32),
    get content() {
      return (cachedContent ??= createContent());
    },
  };
}
