/**
 * Octavo beside other generators, on one corpus in two sizes. Builds are cold and come in pairs, ours and
 * theirs in turns, so that what else the machine does meets both: what counts is the ratio within a pair.
 */
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectSite } from "./compare/built-site.ts";
import { buildCold, clearAside } from "./compare/cold-build.ts";
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
import type { Peer } from "./peers/peer.ts";
import { starlight } from "./peers/starlight.ts";
import { vitepress } from "./peers/vitepress.ts";
import { progress } from "./progress.ts";
import type { Section } from "./results.ts";
import { quantile } from "./statistics.ts";
import { table } from "./table.ts";

const peers: readonly Peer[] = [hugo, starlight, docusaurus, vitepress];
const copies = 10;
/** At the large size, two with a peer whose build is a matter of seconds, and one with others. */
const pairCounts = { small: 3, large: { quick: 2, slow: 1 } } as const;
const pageWeightLimit = 60_000;

const sizes = ["small", "large"] as const;
type Size = (typeof sizes)[number];
/** The parts of a size. */
const pieces = [...peers.map(({ name }) => name.toLowerCase()), "edited"];
const known = [...sizes, "weight", ...pieces, "once"];

/** The part of the comparison to run. */
interface Choice {
  readonly hasSection: (name: Size | "weight") => boolean;
  readonly hasPiece: (name: string) => boolean;
  /** One pair with each, for a quick look. */
  readonly isQuick: boolean;
  readonly isPartial: boolean;
}

/**
 * A section for each size and one for the weight of pages. Of `words`, `small`, `large` and `weight` choose
 * among the sections; names of peers and `edited` choose parts of a size, and `once` makes it one pair each:
 * then the sections are partial. Throws for other words.
 */
export async function* benchPeers(
  sitesDir: string,
  words: readonly string[],
): AsyncIterable<Section> {
  const choice = choose(words);
  const work = process.env["OCTAVO_BENCH_DIR"] ?? join(tmpdir(), "octavo-bench");
  await mkdir(work, { recursive: true });
  progress("making the corpus");
  const small = await readCorpus(join(sitesDir, "mcp"));
  try {
    for (const size of sizes) {
      if (!choice.hasSection(size)) continue;
      const corpus = size === "small" ? small : multiply(small, copies);
      yield sectionOf(await measureSize(corpus, { size, choice, work }), choice.isPartial);
    }
    if (choice.hasSection("weight")) yield await weighSites(small, work);
  } finally {
    await clearAside(work);
  }
}

function choose(words: readonly string[]): Choice {
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) {
    throw new Error(`There is no ${unknown} here, but ${known.join(", ")}.`);
  }
  const hasPieces = pieces.some((piece) => words.includes(piece));
  const hasSections = [...sizes, "weight"].some((name) => words.includes(name));
  const isQuick = words.includes("once");
  return {
    hasSection: (name) => (hasSections ? words.includes(name) : !(hasPieces && name === "weight")),
    hasPiece: (name) => !hasPieces || words.includes(name),
    isQuick,
    isPartial: hasPieces || isQuick,
  };
}

function sectionOf(report: SizeReport, isPartial: boolean): Section {
  const { pages, comparisons, edited } = report;
  const named = [octavo, ...comparisons.map(({ peer }) => peer)];
  const parts = [
    table(
      ["generator", "version", "as measured"],
      named.map(({ name, version, setup }) => [name, version, setup]),
    ),
    "Cold builds, medians:",
    buildTable(report),
    "Octavo as a share of the other in the same pair, medians:",
    ratioTable(report),
  ];
  if (edited) parts.push("Again after one edited page, medians:", editedTable(edited));
  return {
    title: `Beside other generators, ${pages} pages`,
    limits: sizeLimits(report),
    body: parts.join("\n\n"),
    isPartial,
  };
}

interface SizeOptions {
  readonly size: Size;
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
    if (!choice.hasPiece(peer.name.toLowerCase()) || corpus.length > (peer.mostPages ?? Infinity)) {
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
  const edited = choice.hasPiece("edited") ? await measureEditedPage(corpus, work) : undefined;
  return { pages: corpus.length, comparisons, failures, bytes, edited };
}

function pairsWith(peer: Peer, size: Size): number {
  return size === "small" ? pairCounts.small : pairCounts.large[peer === hugo ? "quick" : "slow"];
}

/** The last line that a generator said; all of it goes to those who watch. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  progress(message);
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "it said nothing").trim().replaceAll("|", "/").slice(0, 200);
}

async function weighSites(corpus: Corpus, work: string): Promise<Section> {
  const weights = new Map<string, readonly PageWeight[]>();
  const failures: string[] = [];
  for (const peer of [octavo, ...peers]) {
    try {
      const build = await prepareSite(peer, corpus, work);
      await buildCold(build);
      weights.set(peer.name, await weighPages(build.output, corpus));
    } catch (error) {
      failures.push(`\n\n${peer.name} failed: ${reasonOf(error)}`);
    }
  }
  const middle = quantile((weights.get(octavo.name) ?? []).map(total), 0.5);
  return {
    title: "What a page loads",
    limits: [
      {
        name: "HTML, CSS and JavaScript of a typical page, gzipped",
        limit: "at most 60 KB",
        measured: `${(middle / 1_000).toFixed(1)} KB`,
        holds: middle <= pageWeightLimit,
      },
    ],
    body:
      "In a browser, in KB, gzipped, before anybody touches it: the middle of a sample from the shortest page to " +
      `the longest, and the 95th percentile.\n\n${weightTable(weights)}${failures.join("")}`,
  };
}
