import type { PromptCase } from "./expectation.ts";
import type { Outcome, PromptSite } from "./prompt-site.ts";

/** The judged outcome of a prompt. */
export interface Judgment {
  readonly site: string;
  readonly prompt: string;
  readonly isForm: boolean;
  /** A file was changed that was not to be, or otherwise than it was to be. */
  readonly isWrong: boolean;
  /** It is not understood, or the site does not allow it. */
  readonly isRefused: boolean;
  /** The number of forms that a refusal shows as ready to send, and of those that are refused when they are sent. */
  readonly shown: number;
  readonly failing: number;
  readonly faults: readonly string[];
}

export function createJudge(site: PromptSite): (each: PromptCase) => Promise<Judgment> {
  // Many refusals show the same form.
  const known = new Map<string, Outcome>();
  async function send(form: string): Promise<Outcome> {
    const outcome = known.get(form) ?? (await site.ask(form));
    known.set(form, outcome);
    return outcome;
  }
  return async (each) => {
    const outcome = await site.ask(each.prompt);
    const fault = each.expect(outcome);
    const failing = await refusedForms(outcome, send);
    const isRefused = outcome.refused !== undefined;
    return {
      site: each.site,
      prompt: each.prompt,
      isForm: each.isForm,
      isWrong: fault !== undefined && outcome.changes.length > 0,
      isRefused,
      shown: outcome.shown.length,
      failing: failing.length,
      faults: [...(fault === undefined ? [] : [fault]), ...failing.map((form) => `shows ${form}`)],
    };
  };
}

/** Those of the shown forms that are refused when they are sent. */
async function refusedForms(
  { shown }: Outcome,
  send: (form: string) => Promise<Outcome>,
): Promise<string[]> {
  const refused: string[] = [];
  // One after the other: they are done on the same site.
  for (const form of shown) {
    const outcome = await send(form);
    if (outcome.refused !== undefined) refused.push(`${JSON.stringify(form)}: ${outcome.text.split("\n")[0]}`); // prettier-ignore
  }
  return refused;
}

export function summarize(judgments: readonly Judgment[]) {
  const forms = judgments.filter(({ isForm }) => isForm);
  const refusals = judgments.filter(({ isRefused }) => isRefused);
  return {
    count: judgments.length,
    wrong: judgments.filter(({ isWrong }) => isWrong).length,
    forms: forms.length,
    formsDone: forms.filter(({ faults }) => faults.length === 0).length,
    refusals: refusals.length,
    shown: judgments.reduce((sum, { shown }) => sum + shown, 0),
    failing: judgments.reduce((sum, { failing }) => sum + failing, 0),
  };
}
