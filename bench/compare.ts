/**
 * Octavo beside other generators, on one corpus in two sizes. Builds are cold and come in pairs, ours and
 * theirs in turns, so that what else the machine does meets both: what counts is the ratio within a pair.
 */
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectSite } from "./compare/built-site.ts";
import { buildCold } from "./compare/cold-build.ts";
import { measureEditedPage } from "./compare/edited-page.ts";
import { weighPages } from "./compare/page-weight.ts";
import type { PageWeight } from "./compare/page-weight.ts";
import { comparePeer, prepareSite } from "./compare/pairs.ts";
import type { Comparison } from "./compare/pairs.ts";
import {
  buildTable,
  editedTable,
  ratioTable,
  sizeLimits,
  total,
  weightTable,
} from "./compare/report.ts";
import type { SizeReport } from "./compare/report.ts";
import { multiply, readCorpus } from "./corpus.ts";
import type { Corpus } from "./corpus.ts";
import { docusaurus } from "./peers/docusaurus.ts";
import { hugo } from "./peers/hugo.ts";
import { octavo } from "./peers/octavo.ts";
import type { Build, Peer } from "./peers/peer.ts";
import { starlight } from "./peers/starlight.ts";
import { vitepress } from "./peers/vitepress.ts";
import { progress } from "./progress.ts";
import type { Limit, Section } from "./results.ts";
import { quantile } from "./statistics.ts";
import { table } from "./table.ts";

const peers: readonly Peer[] = [hugo, starlight, docusaurus, vitepress];
const copies = 10;
/** At the large size, two with a peer whose build is a matter of seconds, and one with others. */
const pairCounts = { small: 3, large: { quick: 2, slow: 1 } } as const;
const pageWeightLimit = 60_000;
const pieces = [...peers.map(({ name }) => name.toLowerCase()), "edited", "weight"];

/** What of the comparison is run. */
interface Choice {
  has(piece: string): boolean;
  readonly sizes: readonly ("small" | "large")[];
  /** One pair of each, for a quick look. */
  readonly isQuick: boolean;
}

/** `words` are names of peers, `edited`, `weight`, and the sizes `small` and `large`; all where there are none. `once` makes it one pair each. */
export async function benchPeers(sitesDir: string, words: readonly string[]): Promise<Section> {
  const choice = choose(words);
  const work = process.env["OCTAVO_BENCH_DIR"] ?? join(tmpdir(), "octavo-bench");
  await mkdir(work, { recursive: true });
  progress("making the corpus");
  const small = await readCorpus(join(sitesDir, "mcp"));
  const reports: SizeReport[] = [];
  for (const size of choice.sizes) {
    const corpus = size === "small" ? small : multiply(small, copies);
    reports.push(await measureSize(corpus, { size, choice, work }));
  }
  const weights = choice.has("weight")
    ? await weighSites(small, work, reports)
    : new Map<string, PageWeight[]>();
  return {
    title: "Beside other generators",
    limits: [...reports.flatMap(sizeLimits), ...weightLimits(weights)],
    body: [
      table(["generator", "version", "as measured"], peersTable()),
      "Cold builds, medians:",
      buildTable(reports),
      "Octavo as a share of the other in the same pair, medians:",
      ratioTable(reports),
      "Again after one edited page:",
      editedTable(reports),
      "What a page loads in a browser, in KB, gzipped: the middle of a sample from the shortest page to the longest, and its 95th percentile:",
      weightTable(weights),
    ].join("\n\n"),
  };
}

function choose(words: readonly string[]): Choice {
  const sizes = (["small", "large"] as const).filter((size) => words.includes(size));
  const chosen = pieces.filter((piece) => words.includes(piece));
  const known = [...pieces, "small", "large", "once"];
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    throw new Error(`There is no ${unknown} here, but ${known.join(", ")}.`);
  }
  return {
    sizes: sizes.length > 0 ? sizes : ["small", "large"],
    isQuick: words.includes("once"),
    has: (piece) => chosen.length === 0 || chosen.includes(piece),
  };
}

interface SizeOptions {
  readonly size: "small" | "large";
  readonly choice: Choice;
  readonly work: string;
}

async function measureSize(
  corpus: Corpus,
  { size, choice, work }: SizeOptions,
): Promise<SizeReport> {
  const comparisons: Comparison[] = [];
  const failures: { name: string; reason: string }[] = [];
  const ours = await prepareSite(octavo, corpus, work);
  for (const peer of peers) {
    if (!choice.has(peer.name.toLowerCase()) || corpus.length > (peer.mostPages ?? Infinity)) {
      continue;
    }
    const pairCount = choice.isQuick ? 1 : pairsWith(peer, size);
    try {
      comparisons.push(await comparePeer(peer, { corpus, ours, pairCount, work }));
    } catch (error) {
      failures.push({ name: peer.name, reason: reasonOf(error) });
    }
  }
  const { bytes } = comparisons.length > 0 ? await inspectSite(ours.output, corpus) : { bytes: 0 };
  const edited = choice.has("edited") ? await measureEditedPage(corpus, work) : undefined;
  return { pages: corpus.length, comparisons, failures, bytes, edited };
}

function pairsWith(peer: Peer, size: "small" | "large"): number {
  return size === "small" ? pairCounts.small : pairCounts.large[peer === hugo ? "quick" : "slow"];
}

/** The last line that a generator said; all of it goes to those who watch. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  progress(message);
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "it said nothing").trim().replaceAll("|", "/").slice(0, 200);
}

/** Sites that were built by the comparison are used as they lie there. */
async function weighSites(
  corpus: Corpus,
  work: string,
  reports: readonly SizeReport[],
): Promise<Map<string, PageWeight[]>> {
  const built = new Map<string, Build>();
  for (const { pages, comparisons } of reports) {
    if (pages !== corpus.length) continue;
    for (const { peer, build } of comparisons) built.set(peer.name, build);
  }
  const weights = new Map<string, PageWeight[]>();
  for (const peer of [octavo, ...peers]) {
    let build = built.get(peer.name);
    if (!build) {
      build = await prepareSite(peer, corpus, work);
      await buildCold(build);
    }
    weights.set(peer.name, await weighPages(build.output, corpus));
  }
  return weights;
}

function weightLimits(weights: ReadonlyMap<string, readonly PageWeight[]>): Limit[] {
  const ours = weights.get(octavo.name);
  if (!ours) return [];
  const middle = quantile(ours.map(total), 0.5);
  return [
    {
      name: "HTML, CSS and JavaScript of a typical page, gzipped",
      limit: "at most 60 KB",
      measured: `${(middle / 1_000).toFixed(1)} KB`,
      holds: middle <= pageWeightLimit,
    },
  ];
}

function peersTable(): string[][] {
  return [octavo, ...peers].map(({ name, version, setup }) => [name, version, setup]);
}
