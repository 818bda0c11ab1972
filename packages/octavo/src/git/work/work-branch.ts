import { OctavoError } from "@octavo/site/core";
import { isOwnBranch, isRefName } from "../../core/index.ts";

/** Throws `invalid_input` for a branch that is not the service's own, or an invalid name. */
export function checkWorkBranch(name: string): void {
  if (isOwnBranch(name) && isRefName(name)) return;
  throw new OctavoError(
    "invalid_input",
    `Octavo pushes only to branches that begin with octavo/ or end with the name of an agent job; ${JSON.stringify(name)} does not.`,
  );
}
