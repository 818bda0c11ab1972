import type { GitLimits, GitTools } from "../git/index.ts";

/** The limits for repositories that people push to, beside git's own. */
export interface HostingLimits {
  /** Wall time of one HTTP response: a clone, a push. */
  readonly transferMs: number;
  /** Of the objects in one push. */
  readonly receiveBytes: number;
  /** Of all packs of a repository. */
  readonly repositoryBytes: number;
  /** Packs of a repository in the storage, before they are put into one. */
  readonly storedPacks: number;
}

export const defaultHostingLimits: HostingLimits = {
  transferMs: 60 * 60_000,
  receiveBytes: 2 * 1024 ** 3,
  repositoryBytes: 8 * 1024 ** 3,
  storedPacks: 50,
};

/** What the files of this room share. */
export interface HostingTools extends GitTools {
  readonly limits: GitLimits & HostingLimits;
}
