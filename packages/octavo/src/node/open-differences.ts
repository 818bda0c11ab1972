import { join } from "node:path";
import {
  createBundleCopies,
  type BundleCopies,
  type BundleEntry,
  type OpenBundle,
  type ReadReport,
} from "../bundles/index.ts";
import { openOnce } from "../core/index.ts";
import type { Differences } from "../difference/index.ts";
import type { BundleComparison, ChangedPage, CompareBundles } from "../jobs/index.ts";
import type { NodeParts } from "./node-parts.ts";

/** The maximum size of the differences on this machine, which are rebuilt when they are needed. */
const maxBytes = 256 * 1024 * 1024;

/** Creates access to the copies of bundles, in a folder that all parts of a node share. */
export function createSiteCopies({
  config,
  storage,
}: Pick<NodeParts, "config" | "storage">): BundleCopies {
  return createBundleCopies(storage, {
    folder: join(config.dataFolder, "cache", "sites"),
    maxBytes: config.sites.maxCacheBytes,
  });
}

/**
 * Creates access to the differences of bundles, in a folder that all parts of a node share. The module is loaded when
 * it is first needed, so that a service starts without it.
 */
export function createNodeDifferences(
  { config, isolation }: Pick<NodeParts, "config" | "isolation">,
  copies: BundleCopies,
): Differences {
  let differences: Differences | undefined;
  const load = openOnce(async () => {
    const { createDifferences } = await import("../difference/index.ts");
    const folder = join(config.dataFolder, "cache", "differences");
    return (differences = createDifferences({ copies, isolation, folder, maxBytes }));
  });
  return {
    open: async (before, after) => await (await load()).open(before, after),
    [Symbol.dispose]: () => differences?.[Symbol.dispose](),
  };
}

/**
 * Matches files that are generated from all pages, such as the sitemap. Their changes follow from the changes of the
 * pages.
 */
const generatedFilePattern =
  /^(?:_octavo\/|_redirects$|404\.html$|llms|sitemap|robots\.txt$)|\.(?:xml|md|html)$/;
const pageEnding = /\.html$/;

/** Creates the function that compares bundles by the directories of their archives and by their reports. */
export function createBundleComparer(copies: BundleCopies, readReport: ReadReport): CompareBundles {
  return async (before, after) => {
    const archives = [before, after].map((one) => ({ ...one, format: "zip" as const }));
    const [old, current] = await Promise.all(archives.map((archive) => copies.open(archive)));
    const [oldReport, currentReport] = await Promise.all(
      archives.map((archive) => readReport(archive)),
    );
    const knownProblems = new Set(oldReport?.problems.map((problem) => identifyProblem(problem)));
    return {
      ...compareEntries(old, current),
      problems: (currentReport?.problems ?? []).filter(
        (problem) => !knownProblems.has(identifyProblem(problem)),
      ),
      notChecked: currentReport?.notChecked ?? [],
    };
  };
}

/** Identifies a problem without its line number, which depends on the text above it. */
function identifyProblem(problem: {
  readonly code: string;
  readonly file: string;
  readonly message: string;
}): string {
  return JSON.stringify([problem.code, problem.file, problem.message]);
}

type Directory = Pick<OpenBundle, "entries"> | undefined;

/**
 * Compares pages by their Markdown, which is their actual content. Otherwise, a new entry in the navigation would
 * change every page.
 */
function compareEntries(
  before: Directory,
  after: Directory,
): Pick<BundleComparison, "pages" | "framed" | "files"> {
  const findVersions = (path: string): Versions => [
    before?.entries.get(path),
    after?.entries.get(path),
  ];
  const paths = new Set([...(before?.entries.keys() ?? []), ...(after?.entries.keys() ?? [])]);
  const pages: ChangedPage[] = [];
  const files: string[] = [];
  let framed = 0;
  for (const path of [...paths].toSorted()) {
    const isSame = areEqual(findVersions(path));
    const page = path.replace(pageEnding, "");
    const kind = pageEnding.test(path) ? findKind(findVersions(`${page}.md`)) : undefined;
    if (kind !== undefined && kind !== "same") pages.push({ path: page, kind });
    else if (kind === "same" && !isSame) framed += 1;
    else if (!isSame && !generatedFilePattern.test(path)) files.push(path);
  }
  return { pages, framed, files };
}

/** The entries of one file in two bundles, one of which may lack the file. */
type Versions = readonly [BundleEntry | undefined, BundleEntry | undefined];

/**
 * Returns how a page differs, based on its Markdown file, which only pages have. Returns undefined if the file does not
 * exist.
 */
function findKind([before, after]: Versions): ChangedPage["kind"] | "same" | undefined {
  if (!before) return after ? "added" : undefined;
  if (!after) return "removed";
  return areEqual([before, after]) ? "same" : "changed";
}

function areEqual([one, other]: Versions): boolean {
  return one?.crc32 === other?.crc32 && one?.bytes === other?.bytes;
}
