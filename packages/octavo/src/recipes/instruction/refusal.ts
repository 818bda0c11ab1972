import { OctavoError } from "@octavo/site/core";
import { forms } from "./forms.ts";

/** Why an instruction is not carried out, and what could be sent instead. */
export interface Refusal {
  /** Of a sentence that begins with “I cannot do this:”, without a full stop. */
  readonly reason: string;
  /** Forms, ready to send; those of one instruction, unless `isChoice`. */
  readonly send: readonly string[];
  /** The forms are alternatives. */
  readonly isChoice?: boolean;
  /** Nothing is near to what was asked for: an example is shown. */
  readonly isExample?: boolean;
  /** What is asked for is a form, and the site does not allow it: the list of forms would not help. */
  readonly isUnderstood?: boolean;
}

const listOfForms = [
  "Without a language model I understand these forms, one on a line, with names and texts in quotes:",
  ...forms.map(({ wordings: [wording] }) => `- ${wording}`),
  "For anything else set a model in OCTAVO_MODEL or for the project, e.g. anthropic/<model>.",
].join("\n");

/** The error for a refusal; its message holds the forms on lines of their own, indented by four blanks. */
export function refuse({ reason, send, isChoice, isExample, isUnderstood }: Refusal): OctavoError {
  const shown = isExample === true ? ["Fix the broken links"] : send;
  const lines = shown.map((form) => `    ${form.replaceAll("\n", "\n    ")}`);
  const parts = [
    `I cannot do this: ${reason.replace(/\.$/, "")}. Nothing was changed.`,
    ...(shown.length > 0 ? [[leadTo({ isChoice, isExample, count: shown.length }), "", ...lines].join("\n")] : []), // prettier-ignore
    ...(isUnderstood === true ? [] : [listOfForms]),
  ];
  return new OctavoError("invalid_input", parts.join("\n\n"), {
    details: { forms: shown, isChoice: isChoice === true },
  });
}

function leadTo({
  isChoice,
  isExample,
  count,
}: {
  isChoice?: boolean | undefined;
  isExample?: boolean | undefined;
  count: number;
}): string {
  if (isExample === true) return "An instruction looks like this:";
  return isChoice === true && count > 1 ? "Send one of these instead:" : "Send this instead:";
}
