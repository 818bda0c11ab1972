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
  /** The number of shown forms that do something else than the prompt asked for. */
  readonly straying: number;
  /** It names one clear task. */
  readonly isClear: boolean;
  /** It was carried out as expected. */
  readonly isDone: boolean;
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
    const { failing, straying } = await tryForms(each, outcome, send);
    const isRefused = outcome.refused !== undefined;
    return {
      site: each.site,
      prompt: each.prompt,
      isForm: each.isForm,
      isWrong: fault !== undefined && outcome.changes.length > 0,
      isRefused,
      shown: outcome.shown.length,
      failing: failing.length,
      straying: straying.length,
      isClear: each.isClear,
      isDone: fault === undefined && !isRefused,
      faults: [
        ...(fault === undefined ? [] : [fault]),
        ...[...failing, ...straying].map((form) => `shows ${form}`),
      ],
    };
  };
}

/** Those of the shown forms that are refused when they are sent, and those that do something else. */
async function tryForms(
  { prompt, expect, offers }: PromptCase,
  { shown, text }: Outcome,
  send: (form: string) => Promise<Outcome>,
): Promise<{ readonly failing: readonly string[]; readonly straying: readonly string[] }> {
  const [failing, straying]: [string[], string[]] = [[], []];
  // One after the other: they are done on the same site.
  for (const form of shown) {
    const outcome = await send(form);
    if (outcome.refused !== undefined)
      failing.push(`${JSON.stringify(form)}: ${outcome.text.split("\n")[0]}`);
    else if (!(offers ?? [expect]).some((allowed) => allowed(outcome) === undefined))
      if (offers !== undefined || !keepsWords(prompt, form, text))
        straying.push(`${JSON.stringify(form)}, which does something else`);
  }
  return { failing, straying };
}

/**
 * Whether a form begins like the prompt and has its words, but for one value in another spelling. If the refusal says
 * that a name means several things, the form may name any of them in other words.
 */
function keepsWords(prompt: string, form: string, refusal: string): boolean {
  if (/more than one|also called|\d+ groups/.test(refusal)) return true;
  const [old = [], now = []] = [prompt, form].map(listWords);
  const gone = old.filter((word) => !now.includes(word)).join(" ");
  const come = now.filter((word) => !old.includes(word)).join(" ");
  return old[0] === now[0] && (gone === "" || isSameName(gone, come));
}

function listWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}._/#:-]+/gu) ?? [];
}

/** Whether two names differ by few letters, or one is the other with a folder or a parent. */
function isSameName(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => text.replaceAll(/[^\p{L}\p{N}]/gu, "")).toSorted((x, y) => x.length - y.length); // prettier-ignore
  const [short = "", long = ""] = [a, b];
  if (short === "") return false;
  if (one === "yes" && other === "true") return true;
  if (long.includes(short) || long.includes(short.replace(/s$/, ""))) return true;
  let [start, end] = [0, 0];
  while (start < short.length && short[start] === long[start]) start += 1;
  while (end < short.length - start && short.at(-1 - end) === long.at(-1 - end)) end += 1;
  return long.length - start - end <= 2;
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
    straying: judgments.reduce((sum, { straying }) => sum + straying, 0),
    clear: judgments.filter(({ isClear }) => isClear).length,
    clearDone: judgments.filter(({ isClear, isDone }) => isClear && isDone).length,
  };
}
