/** A change that a tool requests. The text is the file's complete new content. */
export type ContentChange =
  | { readonly type: "write"; readonly path: string; readonly text: string }
  | { readonly type: "move"; readonly from: string; readonly to: string }
  | { readonly type: "delete"; readonly path: string };

/** A file that differs from its state when the workspace was opened. */
export interface ChangedFile {
  readonly path: string;
  readonly kind: "added" | "modified" | "deleted" | "moved";
  /** The original path of a moved file. */
  readonly from?: string;
}
