import type { SampleRequest } from "./request.ts";

/** One language that samples are written in. */
export interface SampleLanguage {
  readonly label: string;
  /** As a fence says it. */
  readonly grammar: string;
  /** What `api.examples.languages` may call it, in lower case. */
  readonly names: readonly string[];
  /**
   * A whole sample for the request. Whatever stands in names and values is data in it: it must not end the
   * string that it stands in, be replaced as a variable, or begin a line of its own.
   */
  write(request: SampleRequest): string;
}
