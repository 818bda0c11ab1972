/**
 * How well `builtin/recipes` mends links: in copies of real sites links that are known to be good are broken as history
 * breaks them, the recipe runs as a job would, and each link is compared with where it has to lead. Wrong ones are
 * listed, each with what would have been right.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { openRenderChildren } from "../../packages/site/src/index.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { progress } from "../progress.ts";
import type { Limit, Section } from "../results.ts";
import { table } from "../table.ts";
import { breakSite } from "./links/broken-site.ts";
import { breakKinds } from "./links/edited-site.ts";
import { judgeLinks } from "./links/judge.ts";
import type { JudgedLink, Judgment } from "./links/judge.ts";
import { fixLinksIn } from "./links/run-recipe.ts";
import { readLinks } from "./links/site-links.ts";
import type { LinkedSite } from "./links/site-links.ts";

export interface LinksOptions {
  /** One site alone. */
  readonly only?: string | undefined;
  readonly seeds?: readonly number[];
  readonly modes?: readonly Mode[];
  readonly rounds?: number;
}

export type Mode = "with history" | "without";

/**
 * `[site] [seeds]`, the seeds as `7,8,9`; without them all sites, and seeds that rules were made with. What other seeds
 * tell has a section of its own in the results.
 */
export function readLinksOptions(words: readonly string[]): LinksOptions {
  const seeds = words.find(isSeeds)?.split(",").map(Number);
  return { only: words.find((word) => !isSeeds(word)), ...(seeds && { seeds }) };
}

function isSeeds(word: string): boolean {
  return /^\d+(?:,\d+)*$/.test(word);
}

/** One run: a site broken with one seed, in one mode. */
export interface LinksRun extends Judgment {
  readonly site: string;
  readonly seed: number;
  readonly mode: Mode;
  readonly summary: string;
}

type RunOptions = Pick<LinksRun, "site" | "seed" | "mode"> & { readonly rounds: number };

const precisionLimit = 0.995;
const recallLimit = 0.6;

export async function benchLinks(
  sites: string | undefined,
  options: LinksOptions = {},
): Promise<Section> {
  if (sites === undefined) {
    throw new Error("Set OCTAVO_SITES to a folder that holds documentation sites.");
  }
  const {
    only,
    seeds = [1, 2, 3, 4, 5],
    modes = ["with history", "without"],
    rounds = 8,
  } = options;
  const entries = await readdir(sites, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory() && (only === undefined || entry.name === only))
    .map(({ name }) => name)
    .toSorted();
  const kinds = modes.flatMap((mode) => seeds.map((seed) => ({ mode, seed, rounds })));
  // Beside each other, since each waits for its files half of the time.
  const runs = await Promise.all(names.map((site) => runSite(join(sites, site), site, kinds)));
  const isFresh = options.seeds !== undefined;
  return { ...sectionOf(runs.flat(), isFresh), isPartial: only !== undefined };
}

async function runSite(
  folder: string,
  site: string,
  kinds: readonly Omit<RunOptions, "site">[],
): Promise<readonly LinksRun[]> {
  await using scratch = await temporaryFolder();
  const before = await readSite(folder, scratch.path);
  const runs: LinksRun[] = [];
  for (const kind of kinds) {
    const run = await runLinks(before, { ...kind, site });
    progress(`links of ${site}, seed ${kind.seed}, ${kind.mode}: ${figuresOf(run.links)}`);
    runs.push(run);
  }
  return runs;
}

/** A site as it is, to be broken any number of times. */
export async function readSite(folder: string, cacheDir: string): Promise<GoodSite> {
  await using children = openRenderChildren();
  return { folder, cacheDir, links: await readLinks(folder, { cacheDir, children }) };
}

export interface GoodSite {
  readonly folder: string;
  /** Holds its pages rendered, which most pages of a broken copy are too. */
  readonly cacheDir: string;
  readonly links: LinkedSite;
}

/** Breaks a copy of a site once, and repairs it. */
export async function runLinks(
  { folder: siteDir, cacheDir, links: before }: GoodSite,
  { site, seed, mode, rounds }: RunOptions,
): Promise<LinksRun> {
  await using scratch = await temporaryFolder();
  await using children = openRenderChildren();
  const folder = join(scratch.path, "site");
  const hasHistory = mode === "with history";
  const { edited, wrong } = await breakSite(siteDir, folder, { before, seed, hasHistory, rounds });
  const broken = await readLinks(folder, { cacheDir, children });
  const summary = await fixLinksIn({ folder, cacheDir, children, hasHistory });
  const mended = await readLinks(folder, { cacheDir, children });
  return { site, seed, mode, summary, ...judgeLinks({ edited, wrong, broken, mended, summary }) };
}

export interface Figures {
  readonly right: number;
  readonly wrong: number;
  readonly left: number;
  /** The share of changed links that are right; 1 if none was changed. */
  readonly precision: number;
  /** The share of repairable links that are right; 1 if there are none. */
  readonly recall: number;
}

export function countLinks(links: readonly JudgedLink[]): Figures {
  const count = (verdict: JudgedLink["verdict"]) =>
    links.filter((link) => link.verdict === verdict).length;
  const [right, wrong, left] = [count("right"), count("wrong"), count("left")];
  const mendable = links.filter(({ told }) => !told.endsWith("(gone)")).length;
  return {
    right,
    wrong,
    left,
    precision: right + wrong === 0 ? 1 : right / (right + wrong),
    recall: mendable === 0 ? 1 : right / mendable,
  };
}

function figuresOf(links: readonly JudgedLink[]): string {
  const { right, wrong, left, precision, recall } = countLinks(links);
  return `${right} right, ${wrong} wrong, ${left} left, precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`;
}

function sectionOf(runs: readonly LinksRun[], isFresh: boolean): Section {
  const head = [
    "site",
    "history",
    "seed",
    "broken",
    "right",
    "wrong",
    "left",
    "precision",
    "recall",
  ];
  const rows = runs.map(({ site, mode, seed, links }) => [
    site,
    mode,
    String(seed),
    ...cells(links),
  ]);
  const kinds = [...breakKinds, "not broken" as const].flatMap((kind) =>
    (["with history", "without"] as const).flatMap((mode) => {
      const links = runs
        .filter((run) => run.mode === mode)
        .flatMap((run) => run.links.filter((link) => link.kind === kind));
      return links.length === 0 ? [] : [[kind, mode, ...cells(links)]];
    }),
  );
  const wrong = runs.flatMap(({ site, seed, mode, links }) =>
    links
      .filter(({ verdict }) => verdict === "wrong")
      .map(
        ({ kind, told, because = "no reason was told" }) =>
          `- ${site}, seed ${seed}, ${mode}, ${kind}: \`${told}\`: ${because}`,
      ),
  );
  const body = [
    table(head, rows),
    table(["kind", "history", ...head.slice(3)], kinds),
    wrong.length === 0 ? "No link was mended wrong." : `Mended wrong:\n\n${wrong.join("\n")}`,
  ].join("\n\n");
  const title = isFresh ? "Mended links of other seeds" : "Mended links";
  return { title, limits: limitsOf(runs, isFresh), body };
}

function cells(links: readonly JudgedLink[]): string[] {
  const { right, wrong, left, precision, recall } = countLinks(links);
  const numbers = [links.length, right, wrong, left].map(String);
  return [...numbers, precision.toFixed(3), recall.toFixed(3)];
}

function limitsOf(runs: readonly LinksRun[], isFresh: boolean): Limit[] {
  const links = isFresh ? "mended links, other seeds," : "mended links";
  return [...Map.groupBy(runs, ({ site }) => site)].flatMap(([site, own]) => {
    const precision = Math.min(...own.map(({ links }) => countLinks(links).precision));
    const modes = [...Map.groupBy(own, ({ mode }) => mode)];
    return [
      {
        name: `${links} of ${site}: precision, lowest of all runs`,
        limit: `at least ${precisionLimit}`,
        measured: precision.toFixed(3),
        holds: precision >= precisionLimit,
      },
      ...modes.map(([mode, some]): Limit => {
        const { recall } = countLinks(some.flatMap(({ links }) => links));
        return {
          name: `${links} of ${site}: recall ${mode === "without" ? "without history" : mode}`,
          limit: `at least ${recallLimit.toFixed(2)}`,
          measured: recall.toFixed(2),
          holds: recall >= recallLimit,
        };
      }),
    ];
  });
}
