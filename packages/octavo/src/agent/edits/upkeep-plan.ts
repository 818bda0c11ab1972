import { posix } from "node:path";
import { createSiteLinks, resolveLink, resolveMedia } from "@octavo/site";
import type { Reference, Site, SiteLinks } from "@octavo/site";
import { createInputError, getParentFolder, isOctavoError, OctavoError } from "@octavo/site/core";
import { applyEdits, findCodeRanges, isInCode, LineIndex, splitAddress } from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import type { ContentChange } from "../changes/text-changes.ts";
import type { SiteView } from "../site-view.ts";
import type { ToolOutput } from "../tools/tool.ts";
import type { Workspace } from "../workspace.ts";
import { editRedirects, isSameAddress, removeLinks, renameAddresses } from "./addresses.ts";
import { readConfigurationFiles, removeFromNavigation } from "./configuration.ts";
import type { Configuration } from "./configuration.ts";
import { rewriteLinks, type LinkTarget, type PageReference } from "./rewrite-links.ts";

/** All edits for a requested change, including those that keep the rest of the site valid. Nothing is written yet. */
export interface SiteEditPlan {
  readonly changes: readonly ContentChange[];
  /** Links that should change but could not be edited, or for which there is no new target. */
  readonly linksLeft: readonly Reference[];
  readonly note?: string;
}

export interface SiteEditInput {
  readonly workspace: Workspace;
  readonly view: SiteView;
  readonly signal: AbortSignal;
}

/** The site's current state, as needed for planning edits. */
export interface SiteSurvey {
  readonly site: Site;
  /** Resolves links without redirects, so that an address that redirects to a page does not count as that page. */
  readonly links: SiteLinks;
  readonly configuration: Configuration | undefined;
  /** References in pages, and in snippets that no page uses. */
  readonly references: readonly PageReference[];
  /** The texts of pages and snippets. */
  readonly texts: ReadonlyMap<string, string>;
}

export async function surveySite({ workspace, view, signal }: SiteEditInput): Promise<SiteSurvey> {
  const site = await view.site(signal);
  const references = await view.references(signal);
  const texts = await readPages(workspace);
  const usedFiles = view.usedFiles();
  const unused = [...texts].filter(([file]) => !usedFiles.has(file));
  return {
    site,
    links: createSiteLinks({ ...site, redirects: [] }),
    configuration: await readConfigurationFiles((path) => workspace.readText(path)),
    references: [...references, ...unused.flatMap(([file, text]) => scanLinks(file, text))],
    texts,
  };
}

async function readPages(workspace: Workspace): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const file of await workspace.listFiles()) {
    if (!/\.mdx?$/.test(file) || (await workspace.getKind(file)) !== "page") continue;
    const text = await readOptional(workspace, file);
    if (text !== undefined) texts.set(file, text);
  }
  return texts;
}

async function readOptional(workspace: Workspace, file: string): Promise<string | undefined> {
  try {
    return await workspace.readText(file);
  } catch (error) {
    // The file is too large or not UTF-8, which the renderer reports.
    if (isOctavoError(error)) return undefined;
    throw error;
  }
}

const linkPattern = /(?:\]\(\s{0,8}<?|\b(?:href|src)=\{?["'`])(\/[^\s"'`)>]{0,1000})/g;

/**
 * Finds the links in a snippet that no page uses and that the renderer therefore does not process. Returns only
 * absolute links outside code, because the target of a relative link depends on the page that will use the snippet.
 */
function scanLinks(file: string, text: string): PageReference[] {
  const code = findCodeRanges(text);
  const page = file.replace(/\.mdx?$/, "");
  const found: PageReference[] = [];
  const lines = new LineIndex(text);
  for (const match of text.matchAll(linkPattern)) {
    const target = match[1] ?? "";
    // The position of the character before the address, from which `rewriteLinks` finds the address again.
    const offset = match.index + match[0].length - target.length - 1;
    if (isInCode(code, match.index)) continue;
    found.push({ page, reference: { kind: "link", target, ...lines.locationAt(file, offset) } });
  }
  return found;
}

/** Returns the page to which an address in the configuration leads. */
export function findLinkedPage(address: string, links: SiteLinks): string | undefined {
  const resolution = resolveLink(address, { page: "index", file: "index.mdx" }, links);
  return resolution.kind === "page" ? resolution.path : undefined;
}

/**
 * Returns the page that a navigation entry names: `guides/start`, `/guides/start.mdx`, or `guides` for its index page.
 */
export function findEntryPage(entry: string, links: SiteLinks): string | undefined {
  const path = entry.trim().replaceAll(/^\/+|\/+$/g, "");
  const withoutExtension = path.replace(/\.mdx?$/, "");
  const candidates = [
    path,
    withoutExtension,
    withoutExtension === "" ? "index" : `${withoutExtension}/index`,
  ];
  return candidates.find((candidate) => links.hasPage(candidate));
}

/** Returns the address at which readers find a page. For an index page, this is its folder. */
export function getReaderAddress(path: string, isPage: (path: string) => boolean): string {
  const folder = /^(.+)\/index$/.exec(path)?.[1];
  return folder !== undefined && !isPage(folder) ? `/${folder}` : `/${path}`;
}

/** Collects edits of many files and applies them together. */
export class EditSet {
  readonly #edits = new Map<string, TextEdit[]>();

  add(file: string, edits: readonly TextEdit[]): void {
    const existing = this.#edits.get(file);
    if (existing) existing.push(...edits);
    else if (edits.length > 0) this.#edits.set(file, [...edits]);
  }

  addAll(edits: ReadonlyMap<string, readonly TextEdit[]>): void {
    for (const [file, list] of edits) this.add(file, list);
  }

  /** Returns the new texts of all files that change. */
  applyAll(getText: (file: string) => string | undefined): Map<string, string> {
    const changed = new Map<string, string>();
    for (const [file, edits] of this.#edits) {
      const text = getText(file);
      const newText = text === undefined ? undefined : applyEdits(text, edits);
      if (newText !== undefined && newText !== text) changed.set(file, newText);
    }
    return changed;
  }
}

const maxShownFiles = 200;
const maxShownLinks = 50;

/** Returns the result of a tool that plans edits of the site. */
export function toUpkeepOutput({ changes, linksLeft, note }: SiteEditPlan): ToolOutput {
  const files = changes.map((change) => (change.type === "move" ? change.to : change.path));
  const changedFiles = [...new Set(files)].toSorted();
  return {
    changedFiles: changedFiles.slice(0, maxShownFiles),
    ...(changedFiles.length > maxShownFiles ? { changedFilesTotal: changedFiles.length } : {}),
    ...(linksLeft.length > 0
      ? {
          linksLeft: linksLeft
            .slice(0, maxShownLinks)
            .map(({ file, line, column, target }) => ({ file, line, column, target })),
        }
      : {}),
    ...(note === undefined ? {} : { note }),
  };
}

interface DeleteInput extends SiteEditInput {
  readonly path: string;
  /** A page's address, or a URL. */
  readonly redirectTo: string | undefined;
}

/** The page or URL to which readers of a deleted page are sent. */
interface Destination {
  /** The address for a redirect. */
  readonly address: string;
  /** The page or file of the site; undefined for a URL. */
  readonly target: LinkTarget | undefined;
  readonly suffix: string;
}

/**
 * Plans the removal of a page or file, including its navigation entries, the levels that become empty, and the
 * redirects and links in the configuration that led to it. If there is a destination, adds a redirect and changes every
 * link to the page.
 */
export async function planDeletion(input: DeleteInput): Promise<SiteEditPlan> {
  const { workspace, path, redirectTo } = input;
  await workspace.getKind(path);
  const survey = await surveySite(input);
  const page = survey.site.pages.find(
    ({ file, isGenerated }) => file === path && !isGenerated,
  )?.path;
  const destination =
    redirectTo === undefined ? undefined : readDestination(survey, redirectTo, page);
  const edits = new EditSet();
  const { configuration, texts } = survey;
  const missedLinks = redirectLinks(edits, survey, { page, path, destination });
  let emptied: readonly string[] = [];
  if (configuration && page !== undefined) {
    emptied = changeConfiguration(edits, { configuration, survey, page, destination });
  }
  const newTexts = edits.applyAll(
    (file) => texts.get(file) ?? configuration?.files.get(file)?.root.source.text,
  );
  newTexts.delete(path);
  const unreferencedFiles = await findUnreferencedFiles(emptied, newTexts, configuration);
  const changes: ContentChange[] = [{ type: "delete", path }];
  for (const orphan of unreferencedFiles) changes.push({ type: "delete", path: orphan });
  for (const [file, text] of newTexts) {
    if (!unreferencedFiles.includes(file)) changes.push({ type: "write", path: file, text });
  }
  const canRedirect = destination === undefined || configuration !== undefined;
  const note = "The site has no docs.json, so no redirect could be added.";
  return { changes, linksLeft: missedLinks, ...(canRedirect ? {} : { note }) };
}

function readDestination(
  { links }: SiteSurvey,
  redirectTo: string,
  page: string | undefined,
): Destination {
  if (page === undefined) {
    throw createInputError("Only a page can be redirected; omit redirectTo.");
  }
  if (/^https?:\/\/[^\s/]/i.test(redirectTo)) {
    return { address: redirectTo, target: undefined, suffix: "" };
  }
  const address = redirectTo.startsWith("/") ? redirectTo : `/${redirectTo}`;
  const resolution = resolveLink(address, { page: "index", file: "index.mdx" }, links);
  const isPageOrFile = resolution.kind === "page" || resolution.kind === "file";
  if (!isPageOrFile || (resolution.kind === "page" && resolution.path === page)) {
    throw createInputError(
      `redirectTo must be another page of the site or a URL; ${JSON.stringify(redirectTo)} is neither.`,
    );
  }
  const { kind, path } = resolution;
  const name = kind === "page" ? getReaderAddress(path, (name) => links.hasPage(name)) : `/${path}`;
  const { suffix } = splitAddress(address);
  return { address: name + suffix, target: { kind, path }, suffix };
}

/** Changes links so that they lead to the destination. Returns the links that will be broken. */
function redirectLinks(
  edits: EditSet,
  survey: SiteSurvey,
  deletion: {
    readonly page: string | undefined;
    readonly path: string;
    readonly destination: Destination | undefined;
  },
): readonly Reference[] {
  const { links, references, texts } = survey;
  const { page, path, destination } = deletion;
  const isTarget = (target: LinkTarget) =>
    page === undefined ? target.path === path : target.kind === "page" && target.path === page;
  const others = references.filter(({ reference }) => reference.file !== path);
  if (destination?.target === undefined) {
    // The renderer follows redirects, so links to a page that is redirected to a URL still work.
    if (destination) return [];
    const brokenLinks = others.filter(({ page: origin, reference }) => {
      const resolve = reference.kind === "link" ? resolveLink : resolveMedia;
      const { target } = reference;
      const goal = resolve(target, { page: origin, file: reference.file }, links);
      return (goal.kind === "page" || goal.kind === "file") && isTarget(goal);
    });
    return [...brokenLinks.map(({ reference }) => reference), ...findImports(path, texts)];
  }
  const { target, suffix } = destination;
  const rewritten = rewriteLinks(
    others,
    {
      before: links,
      after: links,
      getTargetAfter: (old) => (isTarget(old) ? target : undefined),
      getPageAfter: (name) => name,
      getFileAfter: (name) => name,
      getSuffixAfter: (old) => (isTarget(old) ? suffix : undefined),
    },
    (file) => texts.get(file),
  );
  edits.addAll(rewritten.edits);
  return rewritten.missed;
}

/** Returns the imports of the file in pages and snippets. */
function findImports(path: string, texts: ReadonlyMap<string, string>): Reference[] {
  const found: Reference[] = [];
  for (const [file, text] of texts) {
    const [code, lines] = [findCodeRanges(text), new LineIndex(text)];
    for (const match of text.matchAll(/^import\s[^"'`;]{0,2000}?["']([^"'\n]{1,1000})["']/gm)) {
      const target = match[1] ?? "";
      const importedPath = target.startsWith("/")
        ? target.slice(1)
        : posix.join(getParentFolder(file), target);
      if (isInCode(code, match.index) || (importedPath !== path && `${importedPath}.mdx` !== path))
        continue;
      const { line } = lines.positionAt(match.index);
      found.push({ kind: "link", target, file, line, column: 1 });
    }
  }
  return found;
}

function changeConfiguration(
  edits: EditSet,
  input: {
    readonly configuration: Configuration;
    readonly survey: SiteSurvey;
    readonly page: string;
    readonly destination: Destination | undefined;
  },
): readonly string[] {
  const { configuration, survey, page, destination } = input;
  const { links } = survey;
  const leadsToPage = (address: string) => {
    const { path } = splitAddress(address);
    return path !== "" && path !== "/" && findLinkedPage(address, links) === page;
  };
  const navigation = removeFromNavigation(
    configuration,
    (entry) => findEntryPage(entry, links) === page,
  );
  edits.addAll(navigation.edits);
  const source = getReaderAddress(page, (path) => path !== page && links.hasPage(path));
  const redirects = editRedirects(configuration, {
    ...(destination ? { add: { source, destination: destination.address } } : {}),
    decide(redirect) {
      const isOwn = isSameAddress(redirect.source, source);
      if (!isOwn && !leadsToPage(redirect.destination)) return "keep";
      if (!destination) return isOwn ? "keep" : "remove";
      const isLoop = isSameAddress(redirect.source, destination.address);
      return isLoop ? "remove" : { destination: destination.address };
    },
  });
  const addresses = destination
    ? renameAddresses(configuration, (old) => (leadsToPage(old) ? destination.address : undefined))
    : removeLinks(configuration, leadsToPage);
  for (const { file, edit } of [...redirects, ...addresses]) edits.add(file, [edit]);
  return navigation.emptied;
}

/** Returns the emptied files that the changed configuration no longer references. */
async function findUnreferencedFiles(
  emptied: readonly string[],
  newTexts: ReadonlyMap<string, string>,
  configuration: Configuration | undefined,
): Promise<readonly string[]> {
  if (emptied.length === 0 || !configuration) return [];
  const newConfiguration = await readConfigurationFiles((path) => {
    const text = newTexts.get(path) ?? configuration.files.get(path)?.root.source.text;
    if (text !== undefined) return Promise.resolve(text);
    return Promise.reject(new OctavoError("not_found", `There is no ${path}.`));
  }).catch((error: unknown) => {
    if (isOctavoError(error)) return undefined;
    throw error;
  });
  return newConfiguration ? emptied.filter((path) => !newConfiguration.files.has(path)) : [];
}
