/** One file of a bundle. `path` is relative to the bundle's root, with forward slashes. */
export interface BundleFile {
  readonly path: string;
  /** May be made when it is asked for: where the identity tells that the file is there already, nobody asks. */
  readonly content: string | Uint8Array;
  /** Says what the file is made of: two of one identity are the same bytes. Absent where only the content tells. */
  readonly identity?: string | undefined;
  /** What the content is joined of, where most of it stays from export to export. */
  readonly parts?: readonly FilePart[];
}

export interface FilePart {
  /** As of a file. */
  readonly identity?: string | undefined;
  bytes(): Uint8Array;
}
