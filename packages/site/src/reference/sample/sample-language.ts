import type { SampleRequest } from "./request.ts";

/** A language in which samples are written. */
export interface SampleLanguage {
  readonly label: string;
  /** The language as in a fence's info string. */
  readonly grammar: string;
  /** Its names in `api.examples.languages`, in lower case. */
  readonly names: readonly string[];
  /**
   * Writes a complete sample for the request. Names and values are data: their content must never end the string
   * around it, be interpolated as a variable, or begin a new line.
   */
  write(request: SampleRequest): string;
}
