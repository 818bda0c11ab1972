import { getBaseName, getParentFolder } from "@octavo/site/core";
import {
  appendItem,
  appendListMember,
  createAsciiSlug,
  createSlug,
  findJsonMember,
  findJsonMemberText,
  findJsonText,
  formatYamlString,
  isJsonList,
  isJsonObject,
} from "@octavo/site/text";
import type { JsonList } from "@octavo/site/text";
import {
  findDivision,
  formatDivision,
  formatDivisions,
  listDivisions,
  listRedirects,
  readConfiguration,
} from "../configuration.ts";
import type { ConfigurationFile, Division } from "../configuration.ts";
import type { TaskOf } from "../instruction/forms.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import { quoteValue } from "../instruction/tokens.ts";
import { findPage, normalizePagePath, toPagePath, toSiteRelativePath } from "../pages.ts";
import { callTool, findAnswerError, type Plan, type ToolAnswer, type ToolCall } from "../plan.ts";
import { editAll, editFiles, listPages, readFiles, toObjects, toStrings } from "../site-tools.ts";
import type { FileEdits, Listing } from "../site-tools.ts";
import { createLinkedText, listUnlinkEdits, type NamedLink } from "../text/links.ts";
import { joinPath } from "./page-path.ts";
import { formatCode, formatFileList, formatList, joinParagraphs, quote } from "./report-text.ts";
import { capitalize } from "./words.ts";

export const pageAddressRecipes = {
  add_page: addPage,
  add_redirect: addRedirect,
  delete_page: deletePage,
  move_page: movePage,
};

type Moving = TaskOf<"move_page">;

function* movePage(task: Moving): Plan<string> {
  const listing = yield* listPages();
  const from = yield* findPage(task.page, listing);
  expectPath(task, listing);
  const to = resolveTarget(task, from, listing);
  if (toPagePath(to) === toPagePath(from)) return `${formatCode(from)} is already there.`;
  if (listing.files.map(toPagePath).includes(toPagePath(to)))
    throw createRefusedError(`there is already a page ${quote(toPagePath(to))}`);
  const answer = yield* callChangingTool("move", { from, to }, `moved to ${quote(to)}`);
  const others = toStrings(answer.changedFiles).filter((file) => file !== from && file !== to);
  const { note } = answer;
  const followed =
    typeof note === "string"
      ? "links lead to its new address"
      : "navigation and links lead to its new address, and a redirect from the old one";
  return joinParagraphs(
    `Moved ${formatCode(from)} to ${formatCode(to)}.`,
    others.length > 0 ? `Also changed ${formatFileList(others)}: ${followed}.` : "",
    formatList(
      "These links to it must be changed manually:",
      toObjects(answer.linksLeft).map(readRemainingLink).map(formatLink),
    ),
    typeof note === "string" ? note : "",
  );
}

/** Calls a tool that adds, moves or deletes a page. Throws if the call fails. */
function* callChangingTool(tool: string, input: ToolCall["input"], done: string): Plan<ToolAnswer> {
  const answer = yield* callTool(tool, input);
  const error = findAnswerError(answer);
  if (error === undefined) return answer;
  throw createRefusedError(
    `${quote(String(input.from ?? input.path))} could not be ${done}: ${error}`,
  );
}

/** Throws for a path without a slash or a period, because it could mean a position in the navigation. */
function expectPath({ to }: Moving, listing: Listing): void {
  if (/[/.]/.test(to)) return;
  const choices = listing.files.some((file) => file.startsWith(`${to}/`)) ? [`${to}/`] : [];
  throw createRefusedError(`${quote(to)} could be a path or a position in the navigation`, { slot: "path", choices }); // prettier-ignore
}

function resolveTarget({ to }: Moving, from: string, listing: Listing): string {
  const { files } = listing;
  const path = toSiteRelativePath(normalizePagePath(to), listing);
  const extension = /\.mdx?$/i.exec(from)?.[0] ?? ".mdx";
  if (to.endsWith("/")) return `${path}/${getBaseName(from)}`;
  const isFolder = !/\.mdx?$/i.test(to) && files.some((file) => file.startsWith(`${path}/`));
  if (!isFolder) return `${path}${extension}`;
  const choices = [`${path}/`, `${path}${extension}`];
  throw createRefusedError(`${quote(path)} is a folder`, { slot: "path", choices });
}

type Deleting = TaskOf<"delete_page">;

function* deletePage({ page, redirectTo }: Deleting): Plan<string> {
  const listing = yield* listPages();
  const path = yield* findPage(page, listing);
  const target =
    redirectTo === undefined ? undefined : yield* resolvePageAddress(redirectTo, listing);
  if (target === `/${toPagePath(path)}`)
    throw createRefusedError(`${quote(path)} cannot be redirected to itself`);
  const input = { path, ...(target !== undefined && { redirectTo: target }) };
  const answer = yield* callChangingTool("delete", input, "removed");
  const others = toStrings(answer.changedFiles).filter((file) => file !== path);
  const links = toObjects(answer.linksLeft).map(readRemainingLink);
  // A snippet's link is reported once for each page that includes the snippet.
  const distinct = [...new Map(links.map((link) => [JSON.stringify(link), link])).values()];
  const { unlinked, left } = yield* unlink(distinct);
  return joinParagraphs(
    target === undefined
      ? `Removed ${formatCode(path)} and its entries in the navigation.`
      : `Removed ${formatCode(path)}; its address and the links to it now lead to ${formatCode(target)}.`,
    others.length > 0 ? `Also changed ${formatFileList(others)}.` : "",
    formatList(
      "These links to it were removed and their text was kept, because the instruction named no other page:",
      unlinked,
    ),
    formatList("These links to it are now broken (“and redirect to …” would fix them):", left),
    typeof answer.note === "string" ? answer.note : "",
  );
}

interface RemainingLink extends NamedLink {
  readonly file: string;
}

function readRemainingLink({ file, line, column, target }: ToolAnswer): RemainingLink {
  return { file: String(file), line: Number(line), column: Number(column), target: String(target) };
}

/** Removes the markup of links to a deleted page and keeps their text. */
function* unlink(
  links: readonly RemainingLink[],
): Plan<{ readonly unlinked: readonly string[]; readonly left: readonly string[] }> {
  const byFile = Map.groupBy(links, ({ file }) => file);
  const texts = yield* readFiles([...byFile.keys()].filter((file) => /\.mdx?$/.test(file)));
  const done = new Set<NamedLink>();
  const changes = [...texts].map(([path, text]) => {
    const edits = listUnlinkEdits(createLinkedText(text), byFile.get(path) ?? []);
    for (const link of edits.keys()) done.add(link);
    return { path, text, edits: [...edits.values()].flat() };
  });
  const failures = yield* editFiles(changes);
  const isDone = (link: RemainingLink) => done.has(link) && !failures.has(link.file);
  return {
    unlinked: links.filter(isDone).map(formatLink),
    left: links.filter((link) => !isDone(link)).map(formatLink),
  };
}

function formatLink({ file, line, target }: RemainingLink): string {
  return `${formatCode(`${file}:${line}`)}: ${formatCode(target)}`;
}

/** Returns the address of a page from the site's root. An address with a host is returned unchanged. */
function* resolvePageAddress(name: string, listing: Listing): Plan<string> {
  if (/^https?:\/\/\S+$/i.test(name)) return name;
  const [path = "", anchor] = name.split("#");
  const file = yield* findPage(path, listing, "target");
  const page = toPagePath(file).replace(/(?<=.)\/index$/, "");
  return `/${page}${anchor === undefined ? "" : `#${anchor}`}`;
}

function* addRedirect({ from, to }: TaskOf<"add_redirect">): Plan<string> {
  const listing = yield* listPages();
  const files = yield* readConfiguration();
  const source = normalizePagePath(from);
  const destination = yield* resolvePageAddress(to, listing);
  if (listing.files.some((file) => toPagePath(file) === source)) {
    throw createRefusedError(
      `there is a page at ${quote(`/${source}`)}, which a redirect from there would hide`,
    );
  }
  const known = listRedirects(files).find((redirect) => redirect.source === source);
  if (known?.destination === destination)
    return `${formatCode(`/${source}`)} already redirects there.`;
  if (known !== undefined)
    throw createRefusedError(
      `${quote(`/${source}`)} already redirects to ${quote(known.destination)}`,
    );
  const edit = createRedirectEdit({ source: `/${source}`, destination }, files);
  if (edit === undefined)
    throw createRefusedError("the site has no docs.json to which a redirect could be added");
  yield* editAll([edit], listing);
  return `Added a redirect from ${formatCode(`/${source}`)} to ${formatCode(destination)}.`;
}

/** Adds a redirect to the site's list, which is in its configuration or in a file that the configuration references. */
function createRedirectEdit(
  redirect: { readonly source: string; readonly destination: string },
  files: readonly ConfigurationFile[],
): FileEdits | undefined {
  const [main] = files;
  const root = main?.root;
  if (main === undefined || !isJsonObject(root)) return undefined;
  const value = findJsonMember(root, "redirects");
  if (value === undefined) {
    const edits = [appendListMember(root, "redirects", redirect)];
    return { path: main.path, text: root.source.text, edits };
  }
  const name = findJsonMemberText(value, "$ref")?.replace(/^\.?\//, "");
  const { path, root: list } = files.find((file) => file.path === name) ?? { ...main, root: value };
  if (!isJsonList(list)) return undefined;
  return { path, text: list.source.text, edits: [appendItem(list, redirect)] };
}

type Adding = TaskOf<"add_page">;

function* addPage(task: Adding): Plan<string> {
  if (isPath(task.title)) throw createPathTitleError(task);
  const listing = yield* listPages();
  const groups = listGroups(yield* readConfiguration());
  const group = chooseGroup(task, groups);
  const path = toSiteRelativePath(choosePath(task, group), listing);
  const file = `${path}${chooseExtension(path, listing)}`;
  const known = listing.files.map(toPagePath).find((other) => other.toLowerCase() === path.toLowerCase()); // prettier-ignore
  if (known !== undefined) throw createRefusedError(`there is already a page ${quote(known)}`);
  yield* callChangingTool("write", { path: file, content: writePageText(task) }, "written");
  if (group !== undefined) {
    const entry = group.pages.at(-1)?.startsWith("/") === true ? `/${path}` : path;
    const edits = [appendItem(group.list, entry)];
    yield* editAll([{ path: group.file.path, text: group.list.source.text, edits }], listing);
  }
  const missing = [
    ...(task.description === undefined ? ["description"] : []),
    ...(task.text === undefined ? ["text"] : []),
  ];
  return joinParagraphs(
    `Added the page ${formatCode(file)} with the title ${quote(task.title)}${group === undefined ? "" : ` at the end of the group ${quote(formatDivision(group))}`}.`,
    missing.length > 0 ? `It has no ${missing.join(" and no ")} yet, because the instruction did not contain one.` : "", // prettier-ignore
  );
}

/**
 * Reports whether a title looks like a path, such as `guides/start` or `start.mdx`, rather than a title for readers.
 */
function isPath(title: string): boolean {
  return /^[^\s/]*\/[^\s]+$|^\S+\.mdx?$/.test(title) && !/^\p{Lu}[^/]*\/\p{Lu}[^/]*$/u.test(title);
}

function createPathTitleError({ title: path, group }: Adding) {
  const words = getBaseName(normalizePagePath(path)).replaceAll(/[-_]+/g, " ").trim();
  const title = capitalize(words);
  const to = group === undefined ? "" : ` to the group ${quoteValue(group)}`;
  const send = [`Add a page ${quoteValue(title)}${to} at ${normalizePagePath(path)}`];
  return createRefusedError(`${quote(path)} is a path, but a page needs a title`, { send });
}

/** Returns the named group, or the group that contains the other pages in the page's folder. */
function chooseGroup(
  { group: name, path }: Adding,
  groups: readonly NavigationGroup[],
): NavigationGroup | undefined {
  if (name !== undefined) return findDivision(name, groups, { kind: "group", slot: "group" });
  // The navigation of a site without groups is derived from its folders.
  if (groups.length === 0) return undefined;
  const found = filterGroupsByPath(path, groups);
  const [group] = found;
  if (group !== undefined && found.length === 1) return group;
  const choices = formatDivisions(found.length > 0 ? found : groups.filter(({ isMain }) => isMain));
  throw createRefusedError("the instruction must name the navigation group for the page", { slot: "group", choices }); // prettier-ignore
}

/** Returns the groups that contain pages in the folder of the path. */
function filterGroupsByPath(
  path: string | undefined,
  groups: readonly NavigationGroup[],
): readonly NavigationGroup[] {
  if (groups.length === 1 || path === undefined) return groups;
  const folder = getParentFolder(normalizePagePath(path));
  return groups.filter(({ pages }) =>
    pages.some((page) => getParentFolder(normalizePagePath(page)) === folder),
  );
}

/** Returns the specified path, or a path in the folder that contains all other pages of the group. */
function choosePath({ path, title }: Adding, group: NavigationGroup | undefined): string {
  if (path !== undefined && !path.endsWith("/")) return normalizePagePath(path);
  const hasWords = /[\p{L}\p{N}]/u.test(title);
  const name = createAsciiSlug(title) || (hasWords ? createSlug(title) : "");
  if (path !== undefined && name !== "") return `${normalizePagePath(path)}/${name}`;
  const folders = group === undefined ? [""] : listFolders(group);
  const known = folders.length === 0 ? [""] : folders;
  const choices = known.map((folder) => joinPath(folder, name === "" ? "new-page" : name));
  const [choice] = choices;
  if (name !== "" && folders.length === 1 && choice !== undefined) return choice;
  const fault = describePathFault(name, folders.length);
  throw createRefusedError(`the instruction must name the path of the new page: ${fault}`, { slot: "path", choices }); // prettier-ignore
}

function describePathFault(name: string, folders: number): string {
  if (name === "") return "its title cannot be converted to a file name";
  if (folders === 0) return "the group has no pages that indicate the folder";
  return `the group has pages in ${folders} folders`;
}

/**
 * Returns the folders of a group's pages. If it has no pages, returns the folders of its subgroups' pages. Folders with
 * the most pages come first.
 */
function listFolders({ pages, list }: NavigationGroup): string[] {
  const inner = list.value.flatMap((item) => {
    const own = findJsonMember(item, "pages");
    return isJsonList(own) ? own.value.flatMap((page) => findJsonText(page) ?? []) : [];
  });
  const folders = (pages.length > 0 ? pages : inner).map((page) =>
    getParentFolder(normalizePagePath(page)),
  );
  const counts = Map.groupBy(folders, (folder) => folder);
  return [...counts].toSorted(([, a], [, b]) => b.length - a.length).map(([folder]) => folder);
}

/** Returns the extension of the other pages in the folder, or of the site's pages. */
function chooseExtension(path: string, { files }: Listing): string {
  const beside = files.filter((file) => getParentFolder(file) === getParentFolder(path));
  const others = beside.length > 0 ? beside : files;
  return others.length > 0 && others.every((file) => file.endsWith(".md")) ? ".md" : ".mdx";
}

function writePageText({ title, description, text }: Adding): string {
  const fields = [`title: ${formatYamlString(title)}`];
  if (description !== undefined) fields.push(`description: ${formatYamlString(description)}`);
  const body = text === undefined ? "" : `\n${text.replaceAll("\r\n", "\n").trim()}\n`;
  return `---\n${fields.join("\n")}\n---\n${body}`;
}

function listGroups(files: readonly ConfigurationFile[]): NavigationGroup[] {
  return listDivisions(files, "group").flatMap((division): NavigationGroup[] => {
    const list = findJsonMember(division.node, "pages");
    if (!isJsonList(list)) return [];
    const pages = list.value.flatMap((page) => findJsonText(page) ?? []);
    return [{ ...division, list, pages }];
  });
}

/** A group of the navigation, with its list of pages. */
interface NavigationGroup extends Division {
  readonly list: JsonList;
  /** The pages that the group itself lists, as written. */
  readonly pages: readonly string[];
}
