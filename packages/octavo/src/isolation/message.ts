/**
 * A value on its way between two processes. Functions, signals, errors and URLs are not in `value` but stand beside it with
 * their places, so that nothing an author wrote can be taken for one.
 */
export interface Parcel {
  readonly value: unknown;
  readonly parts: readonly Part[];
}

/** `path` leads from the value to the place; it is empty for the value itself. */
export type Part = { readonly path: readonly (string | number)[] } & PartContent;

export type PartContent =
  | { readonly kind: "function"; readonly id: number }
  | { readonly kind: "signal"; readonly id: number; readonly reason?: Parcel }
  | { readonly kind: "error"; readonly error: SentError }
  | { readonly kind: "url"; readonly href: string };

/** An error that comes back to where it was made becomes the same object again. */
export type SentError =
  | { readonly isOwn: true; readonly id: number }
  | {
      readonly isOwn: false;
      readonly id: number;
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
      /** Of an OctavoError, or of the system. */
      readonly code?: string;
      readonly details?: Readonly<Record<string, unknown>>;
      readonly cause?: SentError;
    };

/** What either process sends. */
export type Message =
  | {
      readonly type: "call";
      readonly call: number;
      /** An operation by its name, or a function that was handed over. */
      readonly target: string | number;
      readonly args: Parcel;
    }
  | { readonly type: "result"; readonly call: number; readonly value: Parcel }
  | { readonly type: "failure"; readonly call: number; readonly error: Parcel }
  | { readonly type: "abort"; readonly signal: number; readonly reason: Parcel }
  /** Says nothing but that the process listens. */
  | { readonly type: "alive" };
