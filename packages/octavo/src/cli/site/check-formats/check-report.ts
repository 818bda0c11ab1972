import type { Problem } from "@octavo/site/core";

/** What a check found, for the formats that other programs read. */
export interface CheckReport {
  /** With their paths below the root of the repository that the site lies in. */
  readonly problems: readonly Problem[];
  /** Of Octavo. */
  readonly version: string;
}
