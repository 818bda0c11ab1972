import { posix } from "node:path";
import { createSiteLinks, type SiteLinks } from "@octavo/site";
import {
  compareCodeUnits,
  createInputError,
  getBaseName,
  getParentFolder,
} from "@octavo/site/core";
import {
  findCodeRanges,
  getRelativePath,
  isInCode,
  isJsonString,
  setString,
  splitAddress,
  walkJson,
} from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import { z } from "zod";
import type { ContentChange } from "../changes/text-changes.ts";
import { checkPath } from "../content.ts";
import { editRedirects, isSameAddress, renameAddresses } from "../edits/addresses.ts";
import type { ConfigurationEdit } from "../edits/addresses.ts";
import { renameEntries, type Configuration } from "../edits/configuration.ts";
import { rewriteLinks, type LinkTarget } from "../edits/rewrite-links.ts";
import {
  EditSet,
  findEntryPage,
  findLinkedPage,
  getReaderAddress,
  surveySite,
  toUpkeepOutput,
} from "../edits/upkeep-plan.ts";
import type { SiteEditInput, SiteEditPlan, SiteSurvey } from "../edits/upkeep-plan.ts";
import type { SiteView } from "../site-view.ts";
import type { ContentKind, Workspace } from "../workspace.ts";
import { defineTool, findNamedFile, findNewPath, Path, type AgentTool } from "./tool.ts";

const MoveInput = z.strictObject({
  from: Path.describe("Path in the site, e.g. guides/start.mdx"),
  to: Path.describe("The new path, with the same extension."),
});

export function createMoveTool(workspace: Workspace, view: SiteView): AgentTool {
  return defineTool({
    name: "move",
    description:
      "Moves or renames a page, snippet or picture and updates what depends on its path: navigation, links, imports, its own relative links. Adds a redirect from a page's old address. `linksLeft` lists links to change manually.",
    input: MoveInput,
    isChanging: true,
    async run({ from: named, to: target }, signal) {
      const from = await findNamedFile(workspace, named);
      const to = await findNewPath(workspace, target);
      const plan = await planMove({ workspace, view, from, to, signal });
      await workspace.apply(plan.changes);
      return { from, to: plan.to, ...toUpkeepOutput(plan) };
    },
  });
}

/** A page's move, as two page paths: `guides/start`. */
interface PageMove {
  readonly from: string;
  readonly to: string;
}

/** A file's move, as its old and its new path. */
interface FileMove {
  readonly from: string;
  readonly to: string;
}

const importPattern = /^import\s[^"'`;]{0,2000}?["']([^"'\n]{1,1000})["']/gm;
const snippetPattern = /<Snippet\s[^>]{0,500}?file=["']([^"'\n]{1,1000})["']/g;
const extensions = ["", ".mdx", ".md", ".jsx", ".js"];
const snippetFolder = /^_?snippets\//;

/**
 * Plans the move of a page, a snippet or a picture: the file itself, links to it, imports of it and its own relative
 * links. For a page, the plan also includes its navigation entries and a redirect. Frontmatter does not change.
 */
async function planMove(
  input: SiteEditInput & FileMove,
): Promise<SiteEditPlan & { readonly to: string }> {
  const { workspace, from } = input;
  const kind = await workspace.getKind(from);
  const to = checkPath(addExtension(input.to, from));
  const survey = await surveySite(input);
  const { site, texts, configuration } = survey;
  const page = findPageMove(survey, { from, to }, kind);
  const edits = new EditSet();
  const links = rewriteMovedLinks(survey, { from, to }, page);
  edits.addAll(links.edits);
  for (const [file, text] of texts) edits.add(file, rewriteImports(file, text, { from, to }));
  if (configuration)
    addConfigurationEdits(edits, { configuration, survey, page, move: { from, to } });
  const changes: ContentChange[] = [{ type: "move", from, to }];
  for (const [file, text] of edits.applyAll(
    (path) => texts.get(path) ?? configuration?.files.get(path)?.root.source.text,
  )) {
    changes.push({ type: "write", path: file === from ? to : file, text });
  }
  const hasRedirect = page === undefined || site.configFile !== "none";
  const note = "The site has no docs.json, so no redirect could be added.";
  return { to, changes, linksLeft: links.missed, ...(hasRedirect ? {} : { note }) };
}

function addExtension(to: string, from: string): string {
  const name = getBaseName(from);
  return getBaseName(to).includes(".") ? to : to + name.slice(name.lastIndexOf("."));
}

/** Returns the move of a file as a page's move, or undefined if the file is not a page. */
function findPageMove(
  { site, links }: SiteSurvey,
  { from, to }: FileMove,
  kind: ContentKind,
): PageMove | undefined {
  const page = site.pages.find(({ file }) => file === from);
  if (kind !== "page" || !page) return undefined;
  const path = to.replace(/\.mdx?$/, "");
  if (/^_?snippets\//.test(to)) {
    throw createInputError(
      `A page cannot be moved to ${to}, because files in that folder are snippets.`,
    );
  }
  if (links.hasPage(path)) {
    throw createInputError(`There is already a page at /${path}.`);
  }
  return { from: page.path, to: path };
}

function rewriteMovedLinks(survey: SiteSurvey, move: FileMove, page: PageMove | undefined) {
  const { site, links, references, texts } = survey;
  const renamePage = (path: string) => (page && path === page.from ? page.to : path);
  const renameFile = (file: string) => (file === move.from ? move.to : file);
  const pages = site.pages
    .map((entry) => ({ ...entry, path: renamePage(entry.path) }))
    .toSorted((a, b) => compareCodeUnits(a.path, b.path));
  const after = {
    ...createSiteLinks({ ...site, pages, assets: site.assets.map(renameFile), redirects: [] }),
    // A page that was the home page because of its name `index` is no longer the home page.
    home: page?.from === "index" ? undefined : renamePage(links.home ?? ""),
  };
  const getTargetAfter = ({ kind, path }: LinkTarget): LinkTarget => ({
    kind,
    path: kind === "page" ? renamePage(path) : renameFile(path),
  });
  const change = {
    before: links,
    after,
    getTargetAfter,
    getPageAfter: renamePage,
    getFileAfter: renameFile,
  };
  return rewriteLinks(references, change, (file) => texts.get(file));
}

function addConfigurationEdits(
  edits: EditSet,
  input: {
    readonly configuration: Configuration;
    readonly survey: SiteSurvey;
    readonly page: PageMove | undefined;
    readonly move: FileMove;
  },
): void {
  const { configuration, survey, page, move } = input;
  const { links } = survey;
  const fileEdits = page
    ? buildPageEdits(configuration, page, links)
    : renameFiles(configuration, move);
  for (const { file, edit } of fileEdits) edits.add(file, [edit]);
  if (!page) return;
  edits.addAll(renameEntries(configuration, (entry) => renameEntry(entry, page, links)).edits);
}

/** Returns the new entry of a moved page, with the old entry's leading slash and extension. */
function renameEntry(entry: string, page: PageMove, links: SiteLinks): string | undefined {
  if (findEntryPage(entry, links) !== page.from) return undefined;
  const slash = entry.trim().startsWith("/") ? "/" : "";
  return slash + page.to + (/\.mdx?$/.exec(entry.trim())?.[0] ?? "");
}

/** Edits addresses in the configuration, and adds the redirect from the old address. */
function buildPageEdits(
  configuration: Configuration,
  page: PageMove,
  links: SiteLinks,
): ConfigurationEdit[] {
  const isPage = (path: string) => path !== page.from && links.hasPage(path);
  const source = getReaderAddress(page.from, isPage);
  const destination = getReaderAddress(page.to, isPage);
  const renameAddress = (address: string) =>
    matchesPage(address, page.from, links) ? destination + splitAddress(address).suffix : undefined;
  return [
    ...renameAddresses(configuration, renameAddress),
    ...editRedirects(configuration, {
      add: { source, destination },
      decide(redirect) {
        if (isSameAddress(redirect.source, destination)) return "remove";
        if (isSameAddress(redirect.source, source)) return { destination };
        const newAddress = renameAddress(redirect.destination);
        return newAddress === undefined ? "keep" : { destination: newAddress };
      },
    }),
  ];
}

/**
 * Reports whether an address names the page. An empty address or `/` does not, because it leads to whichever page comes
 * first.
 */
function matchesPage(address: string, page: string, links: SiteLinks): boolean {
  const { path } = splitAddress(address);
  return path !== "" && path !== "/" && findLinkedPage(address, links) === page;
}

/**
 * Rewrites imports and `<Snippet file="..." />` in a page or snippet so that they refer to the same files after the
 * move. In the moved file, these are the relative references; in other files, the references to the moved file.
 */
function rewriteImports(file: string, text: string, move: FileMove): readonly TextEdit[] {
  const code = findCodeRanges(text);
  const edits: TextEdit[] = [];
  function replace(match: RegExpExecArray, newSpecifier: string | undefined): void {
    const specifier = match[1] ?? "";
    if (newSpecifier === undefined || newSpecifier === specifier || isInCode(code, match.index))
      return;
    const end = match.index + match[0].length - 1;
    edits.push({ start: end - specifier.length, end, text: newSpecifier });
  }
  for (const match of text.matchAll(importPattern)) {
    replace(match, findNewSpecifier(match[1] ?? "", file, move));
  }
  for (const match of text.matchAll(snippetPattern))
    replace(match, findNewSnippet(match[1] ?? "", move));
  return edits;
}

function findNewSpecifier(specifier: string, file: string, move: FileMove): string | undefined {
  if (!/^\.{0,2}\//.test(specifier)) return undefined;
  const isAbsolute = specifier.startsWith("/");
  const path = isAbsolute ? specifier.slice(1) : posix.join(getParentFolder(file), specifier);
  const extension = extensions.find((ending) => path + ending === move.from);
  const isTarget = extension !== undefined;
  if (!isTarget && (file !== move.from || isAbsolute)) return undefined;
  const target = isTarget ? move.to.slice(0, move.to.length - extension.length) : path;
  if (isAbsolute) return `/${target}`;
  const relativePath = getRelativePath(
    getParentFolder(file === move.from ? move.to : file),
    target,
  );
  return relativePath.startsWith("../") ? relativePath : `./${relativePath}`;
}

function findNewSnippet(name: string, { from, to }: FileMove): string | undefined {
  const isNamed = snippetFolder.test(from) && from.replace(snippetFolder, "") === name;
  return isNamed && snippetFolder.test(to) ? to.replace(snippetFolder, "") : undefined;
}

/** Replaces a file's path wherever the configuration uses it: for logos, icons and API descriptions. */
function renameFiles(
  configuration: Configuration,
  move: { readonly from: string; readonly to: string },
): ConfigurationEdit[] {
  const edits: ConfigurationEdit[] = [];
  for (const { path: file, root } of configuration.files.values()) {
    for (const { node } of walkJson(root)) {
      const match = isJsonString(node) ? /^(\.?\/)?(.*)$/s.exec(node.value) : undefined;
      if (!isJsonString(node) || match?.[2] !== move.from) continue;
      edits.push({ file, edit: setString(node, (match[1] ?? "") + move.to) });
    }
  }
  return edits;
}
