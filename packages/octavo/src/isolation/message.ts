/**
 * A value that is sent from one process to the other. Functions, signals, errors and URLs are not in `value`. Instead,
 * they are listed with their paths, so that authors' content cannot be mistaken for them.
 */
export interface Parcel {
  readonly value: unknown;
  readonly parts: readonly Part[];
}

/** A part of the value. `path` leads from the value to the part; it is empty for the value itself. */
export type Part = { readonly path: readonly (string | number)[] } & PartContent;

export type PartContent =
  | { readonly kind: "function"; readonly id: number }
  | { readonly kind: "signal"; readonly id: number; readonly reason?: Parcel }
  | { readonly kind: "error"; readonly error: SentError }
  | { readonly kind: "url"; readonly href: string };

/** An error in a message. When an error returns to the process that created it, it becomes the same object again. */
export type SentError =
  | { readonly isOwn: true; readonly id: number }
  | {
      readonly isOwn: false;
      readonly id: number;
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
      /** The code of an OctavoError, or of a system error. */
      readonly code?: string;
      readonly details?: Readonly<Record<string, unknown>>;
      readonly cause?: SentError;
    };

/** A message in either direction. */
export type Message =
  | {
      readonly type: "call";
      readonly call: number;
      /** The name of an operation, or the ID of a function that was passed. */
      readonly target: string | number;
      readonly args: Parcel;
    }
  | { readonly type: "result"; readonly call: number; readonly value: Parcel }
  | { readonly type: "failure"; readonly call: number; readonly error: Parcel }
  | { readonly type: "abort"; readonly signal: number; readonly reason: Parcel }
  /** Only shows that the process is responsive. */
  | { readonly type: "alive" };
