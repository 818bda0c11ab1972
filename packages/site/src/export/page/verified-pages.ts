import { sha256, type Problem } from "../../core/index.ts";
import type { Site } from "../../site/index.ts";
import { joinTexts, splitTexts } from "../cache/value-file.ts";
import type { LinkCheckResults } from "../cache/export-cache.ts";
import type { ExportRun } from "../export-run.ts";
import type { BundlePage, CorrectedDocuments } from "./place-documents.ts";

/**
 * The maximum number of newly verified pages for which the record is not rewritten, because inspecting so few pages
 * again costs less.
 */
const maxUnrecordedPages = 16;

type Run = Pick<ExportRun, "settings" | "cache" | "source" | "keys">;

interface MarkedPages {
  /** All pages. Those whose links are known to be valid are marked. */
  readonly pages: readonly BundlePage[];
  /** The record that verifies the marked pages. */
  readonly record: LinkCheckResults | undefined;
}

export function markVerifiedPages(
  { settings, cache, source, keys }: Run,
  pages: readonly BundlePage[],
): MarkedPages {
  const record = cache?.links.read(getLinksKey(settings, keys));
  if (!record || !isCheckCovered(settings, record)) return { pages, record: undefined };
  const verified = splitTexts(record.verified);
  const hasSameTargets = createTargetComparison(source.site, pages, record);
  const markedPages = pages.map((entry, number) => {
    const { page, rendered, fingerprint, isWritten } = entry;
    // A fingerprint covers the list of pages, so if a fingerprint matches, the numbers in the record refer to these
    // pages.
    if (fingerprint === undefined || verified[number] !== fingerprint) return entry;
    if (!hasSameTargets(number)) return entry;
    return { page, rendered, fingerprint, isWritten, hasVerifiedLinks: true };
  });
  return { pages: markedPages, record };
}

/**
 * Returns the key of a record of links. Fingerprints depend on the same hash, so a record with a different hash
 * verifies no page. The folder is not part of the key, because each checkout of a site is a new folder.
 */
function getLinksKey({ check, checkName = "" }: Run["settings"], keys: Run["keys"]): string {
  return sha256(`${keys.getSharedKey()}\n${check ? checkName : ""}`);
}

/** Reports whether the caller's check, if there is one, would find no problems in the verified pages. */
function isCheckCovered({ check, checkName }: Run["settings"], record: LinkCheckResults): boolean {
  return !check || (checkName !== undefined && checkName === record.checkedAs);
}

/** Returns a function that reports whether all pages to whose anchors a page links have unchanged anchors. */
function createTargetComparison(
  site: Site,
  pages: readonly BundlePage[],
  record: LinkCheckResults,
): (number: number) => boolean {
  const hashes = splitTexts(record.anchors);
  const sameFlags = Uint8Array.from(pages, ({ rendered }, number) =>
    Number(rendered.anchorsHash === hashes[number]),
  );
  if (!sameFlags.includes(0)) return () => true;
  // If the destination of a redirect has an anchor, links without an anchor may lead to that anchor.
  if (site.redirects.some(({ destination }) => destination.includes("#"))) return () => false;
  return (number) => getTargets(record, number).every((target) => sameFlags[target] === 1);
}

function getTargets({ targets, targetEnds }: LinkCheckResults, number: number): Uint32Array {
  return targets.subarray(targetEnds[number - 1] ?? 0, targetEnds[number]);
}

/** Caches the results of this export's link check. */
export function cacheKnownLinks(
  { settings, cache, source, keys }: Run,
  { pages, record }: MarkedPages,
  found: CorrectedDocuments & {
    /** The problems found by the caller's check. */
    readonly problems: readonly Problem[];
  },
): void {
  if (!cache) return;
  const { corrected } = found;
  const hasFault = createFaultSearch(source, pages, found.problems);
  let addedCount = 0;
  const verified = pages.map((entry) => {
    const { fingerprint = "", hasVerifiedLinks = false } = entry;
    if (hasVerifiedLinks) return fingerprint;
    if (fingerprint === "" || corrected.has(entry) || hasFault(entry)) return "";
    addedCount += 1;
    return fingerprint;
  });
  if (addedCount <= maxUnrecordedPages) return;
  cache.links.write(getLinksKey(settings, keys), {
    anchors: joinTexts(pages.map(({ rendered }) => rendered.anchorsHash ?? "")),
    checkedAs: settings.check && settings.checkName,
    verified: joinTexts(verified),
    ...buildTargetColumns(pages, found, record),
  });
}

/** Builds the columns of targets, using the known targets of pages that were not inspected. */
function buildTargetColumns(
  pages: readonly BundlePage[],
  { targets }: CorrectedDocuments,
  record: LinkCheckResults | undefined,
): Pick<LinkCheckResults, "targets" | "targetEnds"> {
  const all: number[] = [];
  const targetEnds = new Uint32Array(pages.length);
  for (const [number, entry] of pages.entries()) {
    const knownTargets = entry.hasVerifiedLinks && record ? getTargets(record, number) : undefined;
    for (const target of knownTargets ?? targets.get(entry) ?? []) all.push(target);
    targetEnds[number] = all.length;
  }
  return { targets: Uint32Array.from(all), targetEnds };
}

/**
 * Returns a function that reports whether a page may have a problem that can be found only by inspecting references.
 */
function createFaultSearch(
  { site, materials }: ExportRun["source"],
  pages: readonly BundlePage[],
  checkProblems: readonly Problem[],
): (entry: BundlePage) => boolean {
  const pageProblems = pages.flatMap(({ rendered }) => rendered.problems);
  const otherProblems = new Set([...site.problems, ...pageProblems]);
  const faultyFiles = new Set(
    checkProblems.filter((problem) => !otherProblems.has(problem)).map(({ file }) => file),
  );
  if (faultyFiles.size === 0) return () => false;
  const authoredFiles = new Set(pages.flatMap(({ page }) => (page.isGenerated ? [] : page.file)));
  // Problems in the parts of an API that a page shows are reported for the files of the description.
  const isFaultElsewhere = [...faultyFiles].some((file) => !authoredFiles.has(file));
  return ({ page, rendered }) => {
    const pageFiles = [page.file, ...Object.keys(rendered.dependencies)];
    const mayBeDescribed = isFaultElsewhere && materials.has(page.path);
    return mayBeDescribed || pageFiles.some((file) => faultyFiles.has(file));
  };
}
