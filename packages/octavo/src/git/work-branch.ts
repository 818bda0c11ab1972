import { OctavoError } from "@octavo/site/core";
import { isRefName } from "../core/index.ts";

/** Every branch that the service makes begins with this; it pushes to no other. */
export const workBranchPrefix = "octavo/";

/** Throws `invalid_input` for the name of a branch that people work on, or of none. */
export function requireWorkBranch(name: string): void {
  if (name.startsWith(workBranchPrefix) && isRefName(name)) return;
  throw new OctavoError(
    "invalid_input",
    `Octavo pushes only to branches that begin with ${workBranchPrefix}; ${JSON.stringify(name)} is none.`,
  );
}
