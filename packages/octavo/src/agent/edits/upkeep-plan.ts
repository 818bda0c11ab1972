import { createSiteLinks, resolveLink } from "@octavo/site";
import type { Reference, Site, SiteLinks } from "@octavo/site";
import { isOctavoError } from "@octavo/site/core";
import { applyEdits, findCodeRanges, isInCode, LineIndex } from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import type { ContentChange } from "../changes/file-change.ts";
import type { SiteView } from "../site-view.ts";
import type { ToolOutput } from "../tools/tool.ts";
import type { Workspace } from "../workspace.ts";
import { readConfigurationFiles } from "./configuration.ts";
import type { Configuration } from "./configuration.ts";
import type { PageReference } from "./rewrite-links.ts";

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
  /** Links without redirects, so that each address stands only for itself. */
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
  const used = view.usedFiles();
  const unused = [...texts].filter(([file]) => !used.has(file));
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
  for (const file of await workspace.files()) {
    if (!/\.mdx?$/.test(file) || (await workspace.kindOf(file)) !== "page") continue;
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
    found.push({ page, reference: { kind: "link", target, ...lines.placeOf(file, offset) } });
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
  const named = path.replace(/\.mdx?$/, "");
  const candidates = [path, named, named === "" ? "index" : `${named}/index`];
  return candidates.find((candidate) => links.hasPage(candidate));
}

/** Returns the address under which readers know a page. For an index page, this is its folder. */
export function getReaderAddress(path: string, isPage: (path: string) => boolean): string {
  const folder = /^(.+)\/index$/.exec(path)?.[1];
  return folder !== undefined && !isPage(folder) ? `/${folder}` : `/${path}`;
}

/** Collects edits of many files and applies them together. */
export class EditSet {
  readonly #edits = new Map<string, TextEdit[]>();

  add(file: string, edits: readonly TextEdit[]): void {
    const known = this.#edits.get(file);
    if (known) known.push(...edits);
    else if (edits.length > 0) this.#edits.set(file, [...edits]);
  }

  addAll(edits: ReadonlyMap<string, readonly TextEdit[]>): void {
    for (const [file, list] of edits) this.add(file, list);
  }

  /** Returns the new texts of all files that change. */
  texts(textOf: (file: string) => string | undefined): Map<string, string> {
    const changed = new Map<string, string>();
    for (const [file, edits] of this.#edits) {
      const text = textOf(file);
      const after = text === undefined ? undefined : applyEdits(text, edits);
      if (after !== undefined && after !== text) changed.set(file, after);
    }
    return changed;
  }
}

const shownFiles = 200;
const shownLinks = 50;

/** Returns the result of a tool that plans edits of the site. */
export function toUpkeepOutput({ changes, linksLeft, note }: SiteEditPlan): ToolOutput {
  const files = changes.map((change) => (change.type === "move" ? change.to : change.path));
  const changedFiles = [...new Set(files)].toSorted();
  return {
    changedFiles: changedFiles.slice(0, shownFiles),
    ...(changedFiles.length > shownFiles ? { changedFilesTotal: changedFiles.length } : {}),
    ...(linksLeft.length > 0
      ? {
          linksLeft: linksLeft
            .slice(0, shownLinks)
            .map(({ file, line, column, target }) => ({ file, line, column, target })),
        }
      : {}),
    ...(note === undefined ? {} : { note }),
  };
}
