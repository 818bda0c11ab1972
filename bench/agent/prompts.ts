import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder, writeFiles } from "../../test/support/temporary-folder.ts";
import { progress } from "../progress.ts";
import type { Section } from "../results.ts";
import { table } from "../table.ts";
import { casesOf } from "./prompts/cases.ts";
import { openPromptSite } from "./prompts/prompt-site.ts";
import { createJudge, summarize } from "./prompts/judge.ts";
import type { Judgment } from "./prompts/judge.ts";
import { orbitSite } from "./prompts/orbit-site.ts";
import { smallSite } from "./prompts/small-site.ts";

/**
 * Prompts to `builtin/recipes`, in its documented forms and free ones, each with the edit that is right or none, on
 * real sites below `sites` and on one of our own: wrong edits, forms that were done, and whether what a refusal shows
 * is accepted when it is sent.
 */
export async function benchPrompts(sites: string | undefined): Promise<Section> {
  const rows: string[][] = [];
  const judgments: Judgment[] = [];
  for (const site of await knownSites(sites)) {
    const { name } = site;
    const own = await judgeSite(site);
    judgments.push(...own);
    rows.push([name, ...figuresOf(own)]);
    progress(`prompts on ${name}: ${own.length}`);
  }
  rows.push(["all", ...figuresOf(judgments)]);
  const { wrong, forms, formsDone, shown, failing, straying, clear, clearDone } =
    summarize(judgments);
  return {
    title: "Prompts to builtin/recipes",
    limits: [
      {
        name: "agent without a model: wrong edits of all prompts",
        limit: "0",
        measured: String(wrong),
        holds: wrong === 0,
      },
      {
        name: "agent without a model: prompts in documented forms done",
        limit: "100 %",
        measured: share(formsDone, forms),
        holds: formsDone === forms,
      },
      {
        name: "agent without a model: shown forms that are done when they are sent",
        limit: "100 %",
        measured: share(shown - failing, shown),
        holds: failing === 0,
      },
      {
        name: "agent without a model: shown forms that do something else than was asked",
        limit: "0",
        measured: String(straying),
        holds: straying === 0,
      },
      {
        name: "agent without a model: prompts of one clear task done",
        limit: "at least 50 %",
        measured: share(clearDone, clear),
        holds: clearDone * 2 >= clear,
      },
    ],
    body: [table(head, rows), faultLines(judgments)].join("\n\n"),
  };
}

const head = [
  "site",
  "prompts",
  "wrong edits",
  "in a form",
  "done",
  "refused",
  "forms shown",
  "of these fail",
  "do something else",
  "one clear task",
  "done",
];

function figuresOf(judgments: readonly Judgment[]): string[] {
  const { count, wrong, forms, formsDone, refusals, shown, failing, straying, clear, clearDone } =
    summarize(judgments);
  const numbers = [count, wrong, forms, formsDone, refusals, shown, failing, straying, clear, clearDone]; // prettier-ignore
  return numbers.map(String);
}

function share(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} % of ${whole}`;
}

function faultLines(judgments: readonly Judgment[]): string {
  const lines = judgments.flatMap(({ site, prompt, faults }) =>
    faults.map((fault) => `- ${site}, ${JSON.stringify(prompt)}: ${fault.split("\n")[0]}`),
  );
  return lines.length === 0 ? "No prompt was answered wrongly." : lines.join("\n");
}

const ownSites = { small: smallSite, orbit: orbitSite };

/** Our own sites, and those real ones that are there and have cases. */
async function knownSites(sites: string | undefined) {
  const found = sites === undefined ? [] : await readdir(sites);
  const real = found.filter((name) => casesOf(name).length > 0).toSorted();
  return [
    ...Object.entries(ownSites).map(([name, files]) => ({ name, files, dir: "" })),
    ...real.map((name) => ({ name, files: undefined, dir: join(sites ?? "", name) })),
  ];
}

interface JudgedSite {
  readonly name: string;
  readonly dir: string;
  /** The files of a site of our own. */
  readonly files: Readonly<Record<string, string>> | undefined;
}

async function judgeSite({ name, dir, files }: JudgedSite): Promise<Judgment[]> {
  await using scratch = await temporaryFolder();
  const own = join(scratch.path, "own");
  if (files !== undefined) await writeFiles(own, files);
  const folder = name === "small" ? "docs" : "";
  const original = files === undefined ? dir : own;
  await using site = await openPromptSite(original, scratch.path, { folder });
  const judge = createJudge(site);
  const judgments: Judgment[] = [];
  for (const each of casesOf(name)) judgments.push(await judge(each));
  return judgments;
}
