import { getBaseName, getParentFolder } from "@octavo/site/core";
import {
  appendItem,
  createAsciiSlug,
  createSlug,
  findJsonMember,
  findJsonText,
  formatYamlString,
  isJsonList,
} from "@octavo/site/text";
import {
  filterMainDivisions,
  findDivisions,
  formatDivision,
  listGroups,
  readConfiguration,
} from "../configuration.ts";
import type { NavigationGroup } from "../configuration.ts";
import type { TaskOf } from "../instruction/forms.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import { quoteValue } from "../instruction/tokens.ts";
import { findClosestNames, normalizePagePath, quote, toPagePath, toSitePath } from "../pages.ts";
import { callTool, findAnswerError, type Plan } from "../plan.ts";
import { editAll, listPages, type Listing } from "../site-tools.ts";
import { formatCode, joinParagraphs, joinWords } from "./report-text.ts";
import { capitalize } from "./words.ts";

type Adding = TaskOf<"add_page">;

export function* addPage(task: Adding): Plan<string> {
  if (isPath(task.title)) throw pathAsTitle(task);
  const listing = yield* listPages();
  const groups = listGroups(yield* readConfiguration());
  const group = groupFor(task, groups);
  const path = toSitePath(pathFor(task, group), listing);
  const file = `${path}${extensionFor(path, listing)}`;
  const known = listing.files.map(toPagePath).find((other) => other.toLowerCase() === path.toLowerCase()); // prettier-ignore
  if (known !== undefined) throw createRefusedError(`there is already a page ${quote(known)}`);
  const answer = yield* callTool("write", { path: file, content: pageText(task) });
  const error = findAnswerError(answer);
  if (error !== undefined)
    throw createRefusedError(`the page ${quote(file)} could not be written: ${error}`);
  if (group !== undefined) yield* addToGroup(group, path, listing);
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

function pathAsTitle({ title: path, group }: Adding) {
  const words = getBaseName(normalizePagePath(path)).replaceAll(/[-_]+/g, " ").trim();
  const title = capitalize(words);
  const to = group === undefined ? "" : ` to the group ${quoteValue(group)}`;
  const send = [`Add a page ${quoteValue(title)}${to} at ${normalizePagePath(path)}`];
  return createRefusedError(`${quote(path)} is a path, but a page needs a title`, { send });
}

function* addToGroup(group: NavigationGroup, path: string, listing: Listing): Plan<void> {
  const { file, list, pages } = group;
  const entry = pages.at(-1)?.startsWith("/") === true ? `/${path}` : path;
  const edits = [appendItem(list, entry)];
  yield* editAll([{ path: file.path, text: list.source.text, edits }], listing);
}

/** Returns the named group, or the group that contains the other pages in the page's folder. */
function groupFor(
  { group: name, path }: Adding,
  groups: readonly NavigationGroup[],
): NavigationGroup | undefined {
  // The navigation of a site without groups is derived from its folders.
  if (groups.length === 0 && name === undefined) return undefined;
  const meant = name === undefined ? groupsByPath(path, groups) : findDivisions(name, groups);
  const found = name === undefined ? meant : filterMainDivisions(meant, name);
  const [group] = found;
  if (group !== undefined && found.length === 1) return group;
  const known = found.length > 0 ? found : filterMainDivisions(groups);
  const names = [...new Set(known.map(formatDivision))];
  const choices = name === undefined || found.length > 0 ? names : findClosestNames(name, names);
  throw createRefusedError(groupFault(name, found.length, names), { slot: "group", choices });
}

/** The maximum number of groups that a refusal names. */
const maxNamed = 12;

function groupFault(name: string | undefined, count: number, known: readonly string[]): string {
  if (name === undefined) return "the instruction must name the navigation group for the page";
  if (count > 0) return `the navigation has ${count} groups ${quote(name)}`;
  const shown = known.length > maxNamed ? "" : `; it has ${joinWords(known.map(quote))}`;
  return `the navigation has no group ${quote(name)}${shown}`;
}

/** Returns the groups that have pages in the folder of the path. */
function groupsByPath(
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
function pathFor({ path, title }: Adding, group: NavigationGroup | undefined): string {
  if (path !== undefined && !path.endsWith("/")) return normalizePagePath(path);
  const hasWords = /[\p{L}\p{N}]/u.test(title);
  const name = createAsciiSlug(title) || (hasWords ? createSlug(title) : "");
  if (path !== undefined && name !== "") return `${normalizePagePath(path)}/${name}`;
  const folders = group === undefined ? [""] : foldersIn(group);
  const [folder] = folders;
  if (name !== "" && folders.length === 1 && folder !== undefined) return joined(folder, name);
  const own = name === "" ? "new-page" : name;
  const choices = (folders.length === 0 ? [""] : folders).map((each) => joined(each, own));
  throw createRefusedError(
    `the instruction must name the path of the new page: ${pathFault(name, folders.length)}`,
    { slot: "path", choices },
  );
}

function pathFault(name: string, folders: number): string {
  if (name === "") return "its title cannot be converted to a file name";
  if (folders === 0) return "the group has no pages that indicate the folder";
  return `the group has pages in ${folders} folders`;
}

function joined(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** Returns the folders of a group's pages, or of its subgroups' pages. Folders with the most pages come first. */
function foldersIn({ pages, list }: NavigationGroup): string[] {
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
function extensionFor(path: string, { files }: Listing): string {
  const beside = files.filter((file) => getParentFolder(file) === getParentFolder(path));
  const others = beside.length > 0 ? beside : files;
  return others.length > 0 && others.every((file) => file.endsWith(".md")) ? ".md" : ".mdx";
}

function pageText({ title, description, text }: Adding): string {
  const fields = [`title: ${formatYamlString(title)}`];
  if (description !== undefined) fields.push(`description: ${formatYamlString(description)}`);
  const body = text === undefined ? "" : `\n${text.replaceAll("\r\n", "\n").trim()}\n`;
  return `---\n${fields.join("\n")}\n---\n${body}`;
}
