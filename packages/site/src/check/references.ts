import {
  createSuggestions,
  resolveLink,
  resolveMedia,
  createAnchorIndexes,
  type Resolution,
  type Site,
  type SiteLinks,
  type SitePage,
} from "../site/index.ts";
import { createSortedLookup, type Problem } from "../core/index.ts";
import { describeMissingFile, explainExclusion } from "../load/index.ts";
import type { Reference } from "../page/index.ts";
import type { RenderedPage } from "../export/index.ts";

/** Longer targets are truncated in messages. */
const maxShownLength = 200;

/** Files that the export generates. A site may link to them although it does not contain them. */
const generatedFiles = new Set(["llms.txt", "llms-full.txt", "robots.txt", "sitemap.xml"]);

/** Problem codes of symbolic links, whose files are in the folder but not part of the site. */
const linkCodes: ReadonlySet<string> = new Set(["link_outside", "link_unused"]);

type PageResolution = Extract<Resolution, { kind: "page" }>;

/** Checks one reference on one page, and returns its problem, if any. */
type ReferenceCheck = (page: string, reference: Reference) => readonly Problem[];

interface ReferenceCheckOptions {
  readonly site: Site;
  /** The pages of the site, sorted by path. */
  readonly pages: readonly CheckedPage[];
  readonly links: SiteLinks;
  readonly hintPage: PageHint;
  /** Whether pages were left out on purpose. */
  readonly isPart: boolean;
}

/** The parts of a rendered page that are checked. */
export interface CheckedPage {
  readonly page: SitePage;
  readonly rendered: Pick<RenderedPage, "anchors" | "references" | "problems">;
  /** Whether its references are known to have no problems. They are then not checked. */
  readonly hasVerifiedLinks?: boolean;
}

/** Builds the indexes of a site once, so that checking a reference only takes a lookup. */
export function createReferenceCheck(options: ReferenceCheckOptions): ReferenceCheck {
  const { site, pages, links, hintPage, isPart } = options;
  const suggestFile = createSuggestions(site.assets);
  const numberOf = createSortedLookup(pages.map((entry) => entry.page.path));
  const anchorsOf = createAnchorIndexes(
    (path) => pages[numberOf(path) ?? -1]?.rendered.anchors ?? [],
  );

  const unread = new Set(
    site.problems.flatMap(({ code, file }) => (linkCodes.has(code) ? [file] : [])),
  );

  function checkLink(page: string, reference: Reference): readonly Problem[] {
    const resolution = resolveLink(reference.target, { page, file: reference.file }, links);
    if (resolution.kind === "page") return checkAnchor(resolution, reference);
    if (resolution.kind !== "unknown" || isPart || generatedFiles.has(resolution.path)) return [];
    const reason = explainExclusion(site, resolution.path);
    const why = reason === undefined ? `.${hintPage(resolution.path)}` : `: ${reason}.`;
    return [
      createProblem(reference, {
        severity: "error",
        code: "link_broken",
        message: `The link ${formatTarget(reference.target)} does not lead to a page or file of this site${why}`,
      }),
    ];
  }

  function checkAnchor({ path, anchor }: PageResolution, reference: Reference): Problem[] {
    if (anchor === "" || isBrowserAnchor(anchor) || numberOf(path) === undefined) return [];
    const index = anchorsOf(path);
    if (index.idOf(anchor) !== undefined) return [];
    const where = reference.target.startsWith("#") ? "this page" : `the page /${path}`;
    const hint = formatSuggestion(index.suggest(anchor), (id) => `#${id}`);
    return [
      createProblem(reference, {
        severity: "warning",
        code: "anchor_broken",
        message: `The link ${formatTarget(reference.target)} points to an anchor that ${where} does not have.${hint}`,
      }),
    ];
  }

  function checkMedia(page: string, reference: Reference): readonly Problem[] {
    const resolution = resolveMedia(reference.target, { page, file: reference.file }, links);
    if (resolution.kind !== "unknown") return [];
    if (unread.has(resolution.path)) {
      const message = `The file ${formatTarget(reference.target)} is a symbolic link that is not followed.`;
      return [createProblem(reference, { severity: "error", code: "media_missing", message })];
    }
    const hint = formatSuggestion(suggestFile(resolution.path), (path) => `/${path}`);
    return [
      createProblem(reference, {
        severity: "error",
        code: "media_missing",
        message: `The file ${formatTarget(reference.target)} ${describeMissingFile(site, resolution.path)}.${hint}`,
      }),
    ];
  }

  return (page, reference) =>
    reference.kind === "link" ? checkLink(page, reference) : checkMedia(page, reference);
}

/** Returns ` Did you mean "/guides/start"?` for a path that no page has; empty if no page is near. */
export type PageHint = (path: string) => string;

export function createPageHint({ pages }: Site): PageHint {
  const suggest = createSuggestions(pages.map(({ path }) => path));
  return (path) => formatSuggestion(suggest(path), (found) => `/${found}`);
}

/**
 * Reports whether browsers resolve an anchor themselves: `#top` is the start of every page, `#:~:text=` a phrase on it.
 */
function isBrowserAnchor(anchor: string): boolean {
  return anchor.toLowerCase() === "top" || anchor.startsWith(":~:");
}

function createProblem(
  reference: Reference,
  problem: Pick<Problem, "severity" | "code" | "message">,
): Problem {
  const { file, line, column } = reference.findPlace?.() ?? reference;
  return { ...problem, file, line, column };
}

function formatTarget(target: string): string {
  return JSON.stringify(
    target.length > maxShownLength ? `${target.slice(0, maxShownLength)}…` : target,
  );
}

function formatSuggestion(found: string | undefined, spell: (found: string) => string): string {
  return found === undefined ? "" : ` Did you mean ${JSON.stringify(spell(found))}?`;
}
