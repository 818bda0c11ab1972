import type { SampleRequest } from "./request.ts";

/** A language in which samples are generated. */
export interface SampleLanguage {
  readonly label: string;
  /** The language, as in the info string of a fence. */
  readonly grammar: string;
  /** The names of the language in `api.examples.languages`, in lowercase. */
  readonly names: readonly string[];
  /**
   * Generates a complete sample for the request. Names and values are untrusted data: they must never end the string
   * that contains them, be interpolated as a variable, or begin a new line.
   */
  write(request: SampleRequest): string;
}
