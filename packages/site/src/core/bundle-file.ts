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
  /** What the part is of, the same in every export: determines which parts of an archive are packed together. */
  readonly name: string;
  /** As for a file. */
  readonly fingerprint?: string | undefined;
  /** May be called again. */
  bytes(): Uint8Array;
}
