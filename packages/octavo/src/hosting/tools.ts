import type { GitLimits, GitTools } from "../git/index.ts";

/** The limits for repositories that people push to, in addition to git's own. */
export interface HostingLimits {
  /** The maximum wall-clock time of one HTTP response, that is, of a clone or a push. */
  readonly transferMs: number;
  /** The maximum size of the objects in one push, in bytes. */
  readonly receiveBytes: number;
  /** The maximum size of all packs of a repository, in bytes. */
  readonly repositoryBytes: number;
  /** The maximum number of a repository's packs in the storage; above it, they are combined. */
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
