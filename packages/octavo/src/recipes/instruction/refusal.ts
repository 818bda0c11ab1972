import { isOctavoError, OctavoError } from "@octavo/site/core";
import { forms } from "./forms.ts";

/** Why an instruction is not carried out, and what could be sent instead. */
export interface Refusal {
  /** Of a sentence that begins with “I cannot do this:”. */
  readonly reason: string;
  /** Forms, ready to send; where there are none, an example is shown. */
  readonly send: readonly string[];
  /** The forms are alternatives, and not those of one instruction. */
  readonly isChoice?: boolean;
  /** What is asked for is a form, and the site does not allow it: the list of forms would not help. */
  readonly isUnderstood?: boolean;
}

const listOfForms = [
  "Without a language model I understand these forms, one on a line, with names and texts in quotes:",
  ...forms.flatMap(({ wordings: [wording], ...form }) =>
    "purpose" in form ? [`- ${wording}`] : [],
  ),
  "For anything else set a model in OCTAVO_MODEL or for the project, e.g. anthropic/<model>.",
].join("\n");

/** What could stand in a slot of the form instead. */
interface Choices {
  readonly slot: string;
  readonly choices: readonly string[];
}

/** The error for a refusal; its message holds the forms on lines of their own, indented by four blanks. */
export function refuse(refusal: Refusal): OctavoError {
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

/** What `refuse` was given; undefined for other errors. */
export function refusalOf(error: unknown): Refusal | undefined {
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
