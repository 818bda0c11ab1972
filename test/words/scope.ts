import type { CodeNode } from "./syntax.ts";
import type { Pieces } from "./pieces.ts";

/** The meaning of a name in a page or component. */
export type Definition =
  | { readonly kind: "snippet"; readonly path: string; readonly text: string }
  | { readonly kind: "component"; readonly code: CodeNode; readonly scope: Scope }
  /** An attribute, the content of an element, or a constant: read where it is named. */
  | { readonly kind: "value"; read(): void }
  | { readonly kind: "absent" };

export interface Scope {
  /** The file's path from the site's root. */
  readonly path: string;
  readonly source: string;
  /** Added to lines of its trees. */
  readonly names: Map<string, Definition>;
  /** How many files and components are around. */
  readonly depth: number;
}

/** One reading of a page. */
export interface Reading {
  readonly pieces: Pieces;
  /** The page shows panels beside its text. */
  readonly hasSide: boolean;
  /** The text of a file of the site; undefined if there is none. */
  readonly readFile: (path: string) => string | undefined;
}

/** Components that contain each other are read this deep. */
export const maxDepth = 12;
