import { OctavoError } from "@octavo/site/core";
import { isRefName } from "../core/index.ts";

/** Every branch that the service creates begins with this; it pushes to no other. */
export const workBranchPrefix = "octavo/";

/** Throws `invalid_input` for any other branch, or an invalid name. */
export function checkWorkBranch(name: string): void {
  if (name.startsWith(workBranchPrefix) && isRefName(name)) return;
  throw new OctavoError(
    "invalid_input",
    `Octavo pushes only to branches that begin with ${workBranchPrefix}; ${JSON.stringify(name)} does not.`,
  );
}
