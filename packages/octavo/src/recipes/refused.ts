import { OctavoError } from "@octavo/site/core";

/** What could stand in a slot of the form instead. */
export interface Choices {
  readonly slot: string;
  readonly choices: readonly string[];
}

/**
 * What is asked for is a form, and the site is not so that it could be done. `reason` ends a sentence that begins with
 * “I cannot do this:”; whoever knows the form shows it with each of the choices.
 */
export function refused(
  reason: string,
  instead?: Choices | { readonly send: readonly string[] },
): OctavoError {
  return new OctavoError("invalid_input", `I cannot do this: ${reason.replace(/\.$/, "")}.`, {
    details: { reason, ...instead },
  });
}
