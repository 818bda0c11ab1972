import {
  createSiteLinks,
  resolveLink,
  resolveMedia,
  createSuggestions,
  createAnchorIndexes,
} from "../site/index.ts";
import { listDistinctProblems } from "../outputs/index.ts";
import { createSortedLookup } from "../core/index.ts";
import type { Problem, ProblemLocation } from "../core/index.ts";
import type { Reference } from "../page/index.ts";
import type {
  Site,
  NavDivision,
  NavEntry,
  SiteConfig,
  SiteLinks,
  SiteRedirect,
  Resolution,
  SitePage,
} from "../site/index.ts";
import {
  describeMissingFile,
  explainExclusion,
  locateInFrontmatter,
  locateRedirect,
} from "../load/index.ts";
import { findConfiguredTexts, findInlineTargets } from "../theme/index.ts";
import type { RenderedPage } from "../export/index.ts";

/**
 * Returns all problems of a rendered site: those found by reading and rendering it, and broken links, anchors, files
 * and redirects. They are sorted by file and line, without duplicates. Addresses outside the site are not checked, and
 * nothing is fetched. The file system is accessed only to determine whether missing files exist but are excluded, and
 * to locate a problem in a page's frontmatter.
 *
 * If `isPart` is true, pages were omitted on purpose, and only anchors and files are checked, not links to pages.
 */
export function checkSite(
  site: Site,
  pages: readonly CheckedPage[],
  { isPart = false }: { readonly isPart?: boolean } = {},
): Problem[] {
  const links = createSiteLinks(site);
  const hintPage = createPageHint(site);
  const checkReference = createReferenceCheck({ site, pages, links, hintPage, isPart });
  const checkLinksOfSite = () => [
    ...checkConfiguredLinks(site, links, hintPage),
    ...checkDescriptions(site, links, hintPage),
    ...checkCanonicalAddresses(site, links, hintPage),
    ...checkRedirects(site, links, hintPage),
  ];
  return listDistinctProblems([
    ...site.problems,
    ...pages.flatMap(({ rendered }) => rendered.problems),
    ...pages.flatMap(({ page, rendered, hasVerifiedLinks = false }) => {
      const references = hasVerifiedLinks ? [] : removeRepeats(rendered.references);
      return references.flatMap((reference) => checkReference(page.path, reference));
    }),
    ...checkConfiguredImages(site, links),
    ...(isPart ? [] : checkLinksOfSite()),
  ]);
}

/** Removes repeated references to files, because a missing file is one problem however often the page shows it. */
function removeRepeats(references: readonly Reference[]): Reference[] {
  const included = new Set<string>();
  return references.filter(({ kind, target, file }) => {
    const key = `${file}\0${target}`;
    if (kind === "link") return true;
    if (included.has(key)) return false;
    included.add(key);
    return true;
  });
}

/** The maximum length of targets in messages. Longer targets are truncated. */
const maxShownTargetLength = 200;

/** The files that the export generates. A site may link to them although it does not contain them. */
const generatedFiles = new Set(["llms.txt", "llms-full.txt", "robots.txt", "sitemap.xml"]);

/** The problem codes of symbolic links, whose target files are in the folder but are not part of the site. */
const symbolicLinkCodes: ReadonlySet<string> = new Set(["link_outside", "link_unused"]);

type PageResolution = Extract<Resolution, { kind: "page" }>;

/** Checks one reference on one page, and returns its problem, if any. */
type ReferenceCheck = (page: string, reference: Reference) => readonly Problem[];

interface ReferenceCheckOptions {
  readonly site: Site;
  /** The pages of the site, sorted by path. */
  readonly pages: readonly CheckedPage[];
  readonly links: SiteLinks;
  readonly hintPage: PageHint;
  /** Whether pages were omitted on purpose. */
  readonly isPart: boolean;
}

/** The parts of a rendered page that are checked. */
export interface CheckedPage {
  readonly page: SitePage;
  readonly rendered: Pick<RenderedPage, "anchors" | "references" | "problems">;
  /** Whether the page's references are known to have no problems, so that they need not be checked again. */
  readonly hasVerifiedLinks?: boolean;
}

/**
 * Creates the function that checks a reference. Builds the site's indexes once, so that each check is only a lookup.
 */
function createReferenceCheck(options: ReferenceCheckOptions): ReferenceCheck {
  const { site, pages, links, hintPage, isPart } = options;
  const suggestFile = createSuggestions(site.assets);
  const findPageNumber = createSortedLookup(pages.map((entry) => entry.page.path));
  const getAnchorIndex = createAnchorIndexes(
    (path) => pages[findPageNumber(path) ?? -1]?.rendered.anchors ?? [],
  );

  const unfollowedLinks = new Set(
    site.problems.flatMap(({ code, file }) => (symbolicLinkCodes.has(code) ? [file] : [])),
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
    if (anchor === "" || isBrowserAnchor(anchor) || findPageNumber(path) === undefined) return [];
    const index = getAnchorIndex(path);
    if (index.findId(anchor) !== undefined) return [];
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
    if (unfollowedLinks.has(resolution.path)) {
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

/**
 * Returns a hint such as ` Did you mean "/guides/start"?` for a path without a page; an empty string if no page has a
 * similar path.
 */
type PageHint = (path: string) => string;

function createPageHint({ pages }: Site): PageHint {
  const suggest = createSuggestions(pages.map(({ path }) => path));
  return (path) => formatSuggestion(suggest(path), (found) => `/${found}`);
}

/**
 * Reports whether browsers resolve an anchor themselves: `#top` is the start of every page, and `#:~:text=` is a phrase
 * on it.
 */
function isBrowserAnchor(anchor: string): boolean {
  return anchor.toLowerCase() === "top" || anchor.startsWith(":~:");
}

function createProblem(
  reference: Reference,
  problem: Pick<Problem, "severity" | "code" | "message">,
): Problem {
  const { file, line, column } = reference.findPosition?.() ?? reference;
  return { ...problem, file, line, column };
}

function formatTarget(target: string): string {
  return JSON.stringify(
    target.length > maxShownTargetLength ? `${target.slice(0, maxShownTargetLength)}…` : target,
  );
}

function formatSuggestion(found: string | undefined, spell: (found: string) => string): string {
  return found === undefined ? "" : ` Did you mean ${JSON.stringify(spell(found))}?`;
}

/** The location from which relative links of the configuration are resolved. */
const siteRoot = { page: "index", file: "index.mdx" };

/** The number of redirects after which browsers give up. */
const maxHops = 20;

/**
 * Finds links in the configuration (logo, navigation bar, footer, navigation) that do not lead to a page or file of the
 * site.
 */
function checkConfiguredLinks(site: Site, links: SiteLinks, hintPage: PageHint): Problem[] {
  const hrefs = new Map<string, string | undefined>(
    findConfiguredTexts(site).flatMap((text) =>
      findInlineTargets(text).links.map((href) => [href, text] as const),
    ),
  );
  // The navigation also contains the addresses of pages that are only links.
  const filesByUrl = new Map(
    site.pages.flatMap(({ frontmatter: { url }, file }) =>
      url === undefined ? [] : [[url, file]],
    ),
  );
  for (const href of [...listConfiguredLinks(site.config), ...listNavigationLinks(site.navigation)])
    hrefs.set(href, undefined);
  return [...hrefs].flatMap(([href, text]) => {
    const resolution = resolveLink(href, siteRoot, links);
    if (resolution.kind !== "unknown") return [];
    const reason = explainExclusion(site, resolution.path);
    const why = reason === undefined ? `.${hintPage(resolution.path)}` : `: ${reason}.`;
    const file = site.configPositions?.addresses.has(href) ? undefined : filesByUrl.get(href);
    const where = file === undefined ? "configuration" : "frontmatter";
    return [
      {
        severity: "error",
        code: "link_broken",
        message: `The link ${JSON.stringify(href)} in the ${where} does not lead to a page or file of this site${why}`,
        ...(file === undefined
          ? locateInConfig(site, href, text)
          : locateInFrontmatter(site.root, file, "url")),
      },
    ];
  });
}

/** Finds links in the descriptions of pages that do not lead to a page or file of the site. */
function checkDescriptions(site: Site, links: SiteLinks, hintPage: PageHint): Problem[] {
  return site.pages.flatMap(({ path, file, isGenerated, frontmatter: { description = "" } }) => {
    if (isGenerated || !/\]\(|<a\b/.test(description)) return [];
    return findInlineTargets(description).links.flatMap((href): Problem[] => {
      const resolution = resolveLink(href, { page: path, file }, links);
      if (resolution.kind !== "unknown") return [];
      const message = `The link ${JSON.stringify(href)} in the description does not lead to a page or file of this site.${hintPage(resolution.path)}`;
      const position = locateInFrontmatter(site.root, file, "description");
      return [{ severity: "error", code: "link_broken", message, ...position }];
    });
  });
}

/** Finds canonical addresses of pages that are below the site's own address, but do not lead to a page. */
function checkCanonicalAddresses(site: Site, links: SiteLinks, hintPage: PageHint): Problem[] {
  const siteAddress = site.config.seo.metatags["canonical"]?.replace(/\/+$/, "");
  return site.pages.flatMap(
    ({ path, file, isGenerated, frontmatter: { canonical } }): Problem[] => {
      if (isGenerated || canonical === undefined) return [];
      const isOwn = siteAddress !== undefined && `${canonical}/`.startsWith(`${siteAddress}/`);
      const target = isOwn ? canonical.slice(siteAddress.length) || "/" : canonical;
      const resolution = resolveLink(target, { page: path, file }, links);
      if (resolution.kind !== "unknown") return [];
      const message = `The canonical address ${JSON.stringify(canonical)} does not lead to a page or file of this site.${hintPage(resolution.path)}`;
      const position = locateInFrontmatter(site.root, file, "canonical");
      return [{ severity: "error", code: "link_broken", message, ...position }];
    },
  );
}

/** Finds images in the configuration that the site does not contain. */
function checkConfiguredImages(site: Site, links: SiteLinks): Problem[] {
  const { favicon, logo } = site.config;
  const imageAddresses = [favicon?.light, favicon?.dark, logo?.light, logo?.dark];
  const targets = new Map<string, string | undefined>(
    findConfiguredTexts(site).flatMap((text) =>
      findInlineTargets(text).pictures.map((target) => [target, text] as const),
    ),
  );
  for (const target of imageAddresses) if (target !== undefined) targets.set(target, undefined);
  return [...targets].flatMap(([target, text]) => {
    const resolution = resolveMedia(target, siteRoot, links);
    if (target === "" || resolution.kind !== "unknown") return [];
    const reason = describeMissingFile(site, resolution.path);
    return [
      {
        severity: "error",
        code: "media_missing",
        message: `The file ${JSON.stringify(target)} in the configuration ${reason}.`,
        ...locateInConfig(site, target, text),
      },
    ];
  });
}

/** Finds redirects that form a loop, do not lead to a page or file, or lead to another redirect. */
function checkRedirects(site: Site, links: SiteLinks, hintPage: PageHint): Problem[] {
  const hasFolder = createFolderLookup(site);
  return site.redirects.flatMap((redirect) => {
    const found =
      findProblem(redirect, links, hintPage) ?? findLostFolder(redirect, hasFolder, links);
    const { source } = redirect.authored ?? redirect;
    const position = site.configPositions?.redirects.get(source);
    const location =
      redirect.rule || !position ? locateRedirect(redirect, site.configFile) : position;
    return found === undefined ? [] : [{ ...found, ...location }];
  });
}

/** Returns the location of an address, or of the text that contains it if the address is not a separate setting. */
function locateInConfig(
  { configFile, configPositions }: Site,
  address: string,
  text: string | undefined,
): ProblemLocation {
  const position =
    text === undefined
      ? configPositions?.addresses.get(address.trim())
      : configPositions?.texts.get(text.trim());
  return position ?? { file: configFile };
}

function* listConfiguredLinks({
  navbar,
  footer,
  logo,
  contextual,
}: Partial<SiteConfig>): Iterable<string> {
  if (logo?.href !== undefined) yield logo.href;
  if (navbar?.primary) yield navbar.primary.href;
  for (const { href } of navbar?.links ?? []) yield href;
  for (const { items } of footer?.columns ?? []) for (const { href } of items) yield href;
  yield* listMenuLinks(contextual?.options ?? []);
}

function* listMenuLinks(options: SiteConfig["contextual"]["options"]): Iterable<string> {
  for (const option of options) {
    // Addresses with placeholders are skipped, because the placeholders are replaced separately for each page.
    if (typeof option === "object" && !option.href.includes("$")) yield option.href;
  }
}

function* listNavigationLinks(division: NavDivision): Iterable<string> {
  if (division.href !== undefined) yield division.href;
  if (division.overrides) yield* listConfiguredLinks(division.overrides);
  for (const inner of division.divisions) yield* listNavigationLinks(inner);
  yield* listEntryLinks(division.entries);
}

function* listEntryLinks(entries: readonly NavEntry[]): Iterable<string> {
  for (const entry of entries) {
    if (entry.type === "link") yield entry.href;
    else if (entry.type === "group") yield* listEntryLinks(entry.entries);
  }
}

function findProblem(
  { source, destination, authored = { source, destination } }: SiteRedirect,
  links: SiteLinks,
  hintPage: PageHint,
): Omit<Problem, "file"> | undefined {
  const redirect = `The redirect from ${JSON.stringify(authored.source)} to ${JSON.stringify(authored.destination)}`;
  const end = followRedirects(source.replaceAll(wildcardPattern, "x"), links);
  if (end === "circle" || (end === "endless" && !hasWildcard(source))) {
    const message = `${redirect} is part of a redirect loop.`;
    // The paths that a wildcard matches are known only when they are requested; some of them may be pages.
    return { severity: hasWildcard(source) ? "warning" : "error", code: "redirect_loop", message };
  }
  if (hasWildcard(destination)) return undefined;
  const resolution = resolveLink(destination, siteRoot, links);
  if (resolution.kind === "external") return undefined;
  if (resolution.kind === "unknown") {
    const message = `${redirect} does not lead to a page or file of this site.${hintPage(resolution.path)}`;
    return { severity: "error", code: "redirect_broken", message };
  }
  const target = toPath(destination);
  const next = links.hasPage(target) ? undefined : links.findRedirect(target);
  if (next === undefined) return undefined;
  const message = `${redirect} leads to another redirect. Change its destination to ${JSON.stringify(next)}.`;
  return { severity: "warning", code: "redirect_chain", message };
}

/** Creates a function that reports whether pages or files of the site are below a folder. */
function createFolderLookup({ pages, assets }: Site): (folder: string) => boolean {
  // The set is created for the first redirect that needs it.
  let folders: Set<string> | undefined;
  return (folder) => {
    folders ??= new Set(
      [...pages.map(({ path }) => path), ...assets].flatMap((path) =>
        Array.from(path.matchAll(/\//g), ({ index }) => path.slice(0, index)),
      ),
    );
    return folders.has(folder);
  };
}

/** Reports a redirect whose destination has a wildcard below a folder that the site does not contain. */
function findLostFolder(
  { source, destination, authored = { source, destination } }: SiteRedirect,
  hasFolder: (folder: string) => boolean,
  links: SiteLinks,
): Omit<Problem, "file"> | undefined {
  const [path = ""] = destination.split(/[?#]/, 1);
  const start = path.search(wildcardPattern);
  const folder = start === -1 ? "" : toPath(path.slice(0, path.lastIndexOf("/", start)));
  if (folder === "" || !path.startsWith("/")) return undefined;
  if (hasFolder(folder) || links.findRedirect(`${folder}/x`) !== undefined) return undefined;
  const message = `The redirect from ${JSON.stringify(authored.source)} to ${JSON.stringify(authored.destination)} leads to a folder that this site does not have.`;
  return { severity: "error", code: "redirect_broken", message };
}

const wildcardPattern = /:[A-Za-z_]\w*\*?|\*/g;

function hasWildcard(path: string): boolean {
  return path.search(wildcardPattern) !== -1;
}

/** Follows redirects from `source` until they end, form a loop or exceed the limit. */
function followRedirects(source: string, links: SiteLinks): "end" | "circle" | "endless" {
  const visited = new Set<string>();
  let path: string | undefined = toPath(source);
  while (path !== undefined && !links.hasPage(path)) {
    if (visited.has(path)) return "circle";
    visited.add(path);
    // Redirects with wildcards can make paths grow endlessly.
    if (visited.size > maxHops) return "endless";
    const next = links.findRedirect(path);
    path = next?.startsWith("/") ? toPath(next) : undefined;
  }
  return "end";
}

function toPath(address: string): string {
  return address
    .replace(/[?#].*$/s, "")
    .replace(/^\/+/, "")
    .replace(/\/$/, "");
}
