import { canResolveConflict } from "../../agent/index.ts";
import type { GitWork, Person, Repository } from "../../git/index.ts";
import type { AgentClaim, TurnStart } from "./claim.ts";

/** The commit that a turn works on: the tip of its branch, possibly with the base's newer commits merged into it. */
export interface StartingPoint {
  /**
   * The commit to check out. If there are `conflicts`, its files contain git's conflict markers, and it is never
   * pushed.
   */
  readonly commit: string;
  /** The parents of the turn's commit. Omitted if `commit` is the only parent. */
  readonly parents?: readonly string[];
  /** Files that conflict between the branch and the base, as paths from the repository's root. */
  readonly conflicts: readonly string[];
}

export interface MergeContext {
  readonly gitWork: GitWork;
  readonly repository: Repository;
  /** The site's folder in the repository. */
  readonly directory: string;
  /** The author of the merge, and of every other commit of the job. */
  readonly author: Person;
  readonly committer: Person;
  readonly signingKey: string | undefined;
}

type BranchPoint = Pick<TurnStart, "branch" | "baseRef" | "turnBase" | "mergedBase">;

/** Creates the starting point of a turn from its recorded data. The result is the same on every attempt. */
export async function createStartingPoint(
  place: MergeContext,
  claim: AgentClaim,
  start: BranchPoint,
): Promise<StartingPoint> {
  const plain = { commit: start.turnBase, conflicts: [] };
  if (start.mergedBase === undefined) return plain;
  const { turnBase, mergedBase } = start;
  const merged = await place.gitWork.merge(place.repository, mergeOf(place, claim, start));
  if (!merged) return plain;
  return { ...merged, ...(merged.conflicts.length > 0 && { parents: [turnBase, mergedBase] }) };
}

/**
 * Reports whether a turn can merge the base into its branch. If git finds conflicts, the model must be able to resolve
 * all of them, so each must be in the site's content.
 */
export async function canMergeBase(
  place: MergeContext,
  claim: AgentClaim,
  start: BranchPoint,
): Promise<boolean> {
  const merged = await place.gitWork.merge(place.repository, mergeOf(place, claim, start));
  if (!merged || merged.conflicts.length === 0) return merged !== undefined;
  const isBuiltin = claim.job.model.startsWith("builtin/");
  return !isBuiltin && merged.conflicts.every((path) => canResolve(path, place.directory));
}

function mergeOf(
  { author, committer, signingKey }: MergeContext,
  { message }: AgentClaim,
  start: BranchPoint,
) {
  const { branch, baseRef, turnBase, mergedBase = turnBase } = start;
  return {
    ours: turnBase,
    theirs: mergedBase,
    author,
    committer,
    signingKey,
    message: `Merge ${baseRef} into ${branch}`,
    at: message.at,
  };
}

function canResolve(path: string, directory: string): boolean {
  const inSite = findPathInSite(path, directory);
  return inSite !== undefined && canResolveConflict(inSite);
}

/** Returns the path relative to the site's folder; undefined for a file outside the folder. */
export function findPathInSite(path: string, directory: string): string | undefined {
  if (directory === ".") return path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : undefined;
}
