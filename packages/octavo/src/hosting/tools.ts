import type { GitLimits, GitTools } from "../git/index.ts";

/** The limits for repositories that people push to, in addition to git's own. */
export interface HostingLimits {
  /** Wall time of one HTTP response: a clone or a push. */
  readonly transferMs: number;
  /** Bytes of the objects in one push. */
  readonly receiveBytes: number;
  /** Bytes of all packs of a repository. */
  readonly repositoryBytes: number;
  /** Packs of a repository in the storage before they are combined. */
  readonly storedPacks: number;
}

export const defaultHostingLimits: HostingLimits = {
  transferMs: 60 * 60_000,
  receiveBytes: 2 * 1024 ** 3,
  repositoryBytes: 8 * 1024 ** 3,
  storedPacks: 50,
};

/** The dependencies that the files in this folder share. */
export interface HostingTools extends GitTools {
  readonly limits: GitLimits & HostingLimits;
}
