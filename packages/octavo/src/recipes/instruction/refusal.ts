import { isOctavoError, OctavoError } from "@octavo/site/core";
import { forms } from "./forms.ts";

/** The reason for rejecting an instruction, and what to send instead. */
export interface Refusal {
  /** The rest of a sentence that begins with “I cannot do this:”. */
  readonly reason: string;
  /** Forms that are ready to send. If empty, an example is shown. */
  readonly send: readonly string[];
  /** The forms are alternatives rather than parts of one instruction. */
  readonly isChoice?: boolean;
  /** The instruction matches a form that the site does not allow, so a list of forms would not help. */
  readonly isUnderstood?: boolean;
}

const listOfForms = [
  "Without a language model I understand these forms, one on a line, with names and texts in quotes:",
  ...forms.flatMap(({ wordings: [wording], ...form }) =>
    "purpose" in form ? [`- ${wording}`] : [],
  ),
  "For anything else set a model in OCTAVO_MODEL or for the project, for example anthropic/<model>.",
].join("\n");

/** Alternative values for one of the form's slots. */
interface Choices {
  readonly slot: string;
  readonly choices: readonly string[];
}

/** Creates the error for a refusal. Its message lists the forms on separate lines, indented by four spaces. */
export function createRefusal(refusal: Refusal): OctavoError {
  const { reason, send, isUnderstood } = refusal;
  const forms = send.length > 0 ? send : ["Fix the broken links"];
  const lines = forms.map((form) => `    ${form.replaceAll("\n", "\n    ")}`);
  const parts = [
    `I cannot do this: ${reason.replace(/\.$/, "")}. Nothing was changed.`,
    [leadTo(refusal), "", ...lines].join("\n"),
    ...(isUnderstood === true ? [] : [listOfForms]),
  ];
  return new OctavoError("invalid_input", parts.join("\n\n"), { details: { ...refusal, forms } });
}

function leadTo({ send, isChoice }: Refusal): string {
  if (send.length === 0) return "An instruction looks like this:";
  return isChoice === true && send.length > 1 ? "Send one of these instead:" : "Send this instead:";
}

/** Returns the refusal that an error was created from; undefined for other errors. */
export function findRefusal(error: unknown): Refusal | undefined {
  if (!isOctavoError(error, "invalid_input")) return undefined;
  const { reason, send, forms: shown, isChoice, isUnderstood } = error.details;
  if (typeof reason !== "string" || !Array.isArray(send) || shown === undefined) return undefined;
  return {
    reason,
    send: send.map(String),
    isChoice: isChoice === true,
    isUnderstood: isUnderstood === true,
  };
}

/**
 * Creates the error for a form that cannot be carried out on this site. `reason` completes a sentence that begins with
 * “I cannot do this:”. The caller that knows the form shows it with each of the choices.
 */
export function createRefusedError(
  reason: string,
  instead?: Choices | { readonly send: readonly string[] },
): OctavoError {
  return new OctavoError("invalid_input", `I cannot do this: ${reason.replace(/\.$/, "")}.`, {
    details: { reason, ...instead },
  });
}
