/** One change that a tool asks for. A text is the whole new content of a file. */
export type FileChange =
  | { readonly type: "write"; readonly path: string; readonly text: string }
  | { readonly type: "move"; readonly from: string; readonly to: string }
  | { readonly type: "delete"; readonly path: string };

/** How a file differs from what it was when the workspace was opened. */
export interface ChangedFile {
  readonly path: string;
  readonly kind: "added" | "modified" | "deleted" | "moved";
  /** Where it was, for a moved one. */
  readonly from?: string;
}
