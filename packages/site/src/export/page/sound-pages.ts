import { hashParts } from "../../core/index.ts";
import type { Problem } from "../../core/index.ts";
import { joinTexts, splitTexts } from "../cache/columns.ts";
import type { KnownLinks } from "../cache/known-links.ts";
import type { ExportRun } from "../export-run.ts";
import type { BundlePage } from "./place-documents.ts";

/** For up to this many more sound pages the record is not written: looking at those again costs less. */
const maxMissing = 16;

type Run = Pick<ExportRun, "settings" | "cache" | "source">;

export interface MarkedPages {
  /** With a mark on those whose links are known to be sound. */
  readonly pages: readonly BundlePage[];
  /** Undefined if unknown. */
  readonly anchors: string | undefined;
}

export function markSoundPages(
  { settings, cache, source }: Run,
  pages: readonly BundlePage[],
): MarkedPages {
  const anchors = cache && hashAnchors(pages);
  const known = anchors === undefined ? undefined : cache?.links.read(source.site.root);
  const isUsable = known?.anchors === anchors && coversCheck(settings, known);
  if (!known || !isUsable) return { pages, anchors };
  // The same anchors are those of the same pages, in the same order.
  const sound = splitTexts(known.sound);
  const marked = pages.map((entry, number) => {
    const { page, rendered, fingerprint, isWritten } = entry;
    if (fingerprint === undefined || sound[number] !== fingerprint) return entry;
    return { page, rendered, fingerprint, isWritten, hasSoundLinks: true };
  });
  return { pages: marked, anchors };
}

/** Whether the caller's check, if there is one, would find no problem in what is known to be sound. */
function coversCheck(
  { check, checkedAs }: Run["settings"],
  known: KnownLinks | undefined,
): boolean {
  return !check || (checkedAs !== undefined && checkedAs === known?.checkedAs);
}

/** Undefined if the anchors of a page have no hash. */
function hashAnchors(pages: readonly BundlePage[]): string | undefined {
  const parts: string[] = [];
  for (const { page, rendered } of pages) {
    if (rendered.anchorsHash === undefined) return undefined;
    parts.push(page.path, rendered.anchorsHash);
  }
  return hashParts([parts.join("\n")]);
}

/** Caches what this export found out. */
export function cacheKnownLinks(
  { settings, cache, source }: Run,
  pages: readonly BundlePage[],
  found: {
    readonly anchors: string | undefined;
    readonly corrected: ReadonlySet<BundlePage>;
    /** Of the caller's check. */
    readonly problems: readonly Problem[];
  },
): void {
  const { anchors, corrected } = found;
  if (!cache || anchors === undefined) return;
  const faulty = filesWithFaults(source.site.problems, pages, found.problems);
  let added = 0;
  const sound = pages.map((entry) => {
    const { page, rendered, fingerprint = "", hasSoundLinks = false } = entry;
    if (hasSoundLinks) return fingerprint;
    const files = [page.file, ...Object.keys(rendered.dependencies)];
    if (corrected.has(entry) || files.some((file) => faulty.has(file))) return "";
    added += 1;
    return fingerprint;
  });
  const checkedAs = settings.check && settings.checkedAs;
  if (added <= maxMissing) return;
  cache.links.write(source.site.root, { anchors, checkedAs, sound: joinTexts(sound) });
}

/** The files with problems that were found by looking at references, not before. */
function filesWithFaults(
  ofSite: readonly Problem[],
  pages: readonly BundlePage[],
  checked: readonly Problem[],
): ReadonlySet<string> {
  const before = new Set([...ofSite, ...pages.flatMap(({ rendered }) => rendered.problems)]);
  return new Set(checked.filter((problem) => !before.has(problem)).map(({ file }) => file));
}
