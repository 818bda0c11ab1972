import type { PullRequests } from "../codehost/index.ts";
import type { GitWork } from "../git/index.ts";
import type { Hosting } from "../hosting/index.ts";
import type { RememberFact } from "./fact-cache.ts";

/** The dependencies that the files in this folder share. */
export interface ReviewServices {
  readonly pullRequests: PullRequests;
  readonly hosting: Hosting;
  readonly work: GitWork;
  readonly remember: RememberFact;
}
