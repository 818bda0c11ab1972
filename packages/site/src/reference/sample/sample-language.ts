import type { SampleRequest } from "./request.ts";

/** One language that samples are written in. */
export interface SampleLanguage {
  readonly label: string;
  /** As in a fence's info string. */
  readonly grammar: string;
  /** The names for it in `api.examples.languages`, in lower case. */
  readonly names: readonly string[];
  /**
   * A complete sample for the request. Names and values are data in it: whatever they contain must not end the
   * string around it, be interpolated as a variable, or begin a line of its own.
   */
  write(request: SampleRequest): string;
}
