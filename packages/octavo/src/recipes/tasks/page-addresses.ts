import { getBaseName } from "@octavo/site/core";
import {
  appendItem,
  appendListMember,
  findJsonMember,
  findJsonMemberText,
  isJsonList,
  isJsonObject,
} from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
import { listRedirects, readConfiguration, type ConfigurationFile } from "../configuration.ts";
import type { TaskOf } from "../instruction/forms.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import { findPage, normalizePagePath, quote, toPagePath, toSitePath } from "../pages.ts";
import { callTool, findAnswerError, type Plan, type ToolAnswer, type ToolCall } from "../plan.ts";
import { editAll, editFiles, listPages, readFiles, toObjects, toStrings } from "../site-tools.ts";
import type { Listing } from "../site-tools.ts";
import { createLinkedText, unlinkEdits, type NamedLink } from "../text/link-locations.ts";
import { formatCode, formatFileList, formatList, joinParagraphs } from "./report-text.ts";

type Moving = TaskOf<"move_page">;

export function* movePage(task: Moving): Plan<string> {
  const listing = yield* listPages();
  const from = yield* findPage(task.page, listing);
  expectPath(task, listing);
  const to = resolveTarget(task, from, listing);
  if (toPagePath(to) === toPagePath(from)) return `${formatCode(from)} is already there.`;
  if (listing.files.map(toPagePath).includes(toPagePath(to)))
    throw createRefusedError(`there is already a page ${quote(toPagePath(to))}`);
  const answer = yield* change("move", { from, to }, `moved to ${quote(to)}`);
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

/** Calls a tool that changes the address of a page. Throws if the call fails. */
function* change(tool: string, input: ToolCall["input"], done: string): Plan<ToolAnswer> {
  const answer = yield* callTool(tool, input);
  const error = findAnswerError(answer);
  if (error === undefined) return answer;
  throw createRefusedError(
    `${quote(String(input.from ?? input.path))} could not be ${done}: ${error}`,
  );
}

/** Requires a slash in the path, because a single word may name a position in the navigation or a destination. */
function expectPath({ to }: Moving, listing: Listing): void {
  if (/[/.]/.test(to)) return;
  const choices = listing.files.some((file) => file.startsWith(`${to}/`)) ? [`${to}/`] : [];
  throw createRefusedError(`${quote(to)} could be a path or a position in the navigation`, { slot: "path", choices }); // prettier-ignore
}

function resolveTarget({ to }: Moving, from: string, listing: Listing): string {
  const { files } = listing;
  const path = toSitePath(normalizePagePath(to), listing);
  const extension = /\.mdx?$/i.exec(from)?.[0] ?? ".mdx";
  if (to.endsWith("/")) return `${path}/${getBaseName(from)}`;
  const isFolder = !/\.mdx?$/i.test(to) && files.some((file) => file.startsWith(`${path}/`));
  if (!isFolder) return `${path}${extension}`;
  const choices = [`${path}/`, `${path}${extension}`];
  throw createRefusedError(`${quote(path)} is a folder`, { slot: "path", choices });
}

type Deleting = TaskOf<"delete_page">;

export function* deletePage({ page, redirectTo }: Deleting): Plan<string> {
  const listing = yield* listPages();
  const path = yield* findPage(page, listing);
  const target =
    redirectTo === undefined ? undefined : yield* resolvePageAddress(redirectTo, listing);
  if (target === `/${toPagePath(path)}`)
    throw createRefusedError(`${quote(path)} cannot be redirected to itself`);
  const input = { path, ...(target !== undefined && { redirectTo: target }) };
  const answer = yield* change("delete", input, "removed");
  const others = toStrings(answer.changedFiles).filter((file) => file !== path);
  const links = toObjects(answer.linksLeft).map(readRemainingLink);
  // A snippet's link is reported once for each page that shows the snippet.
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

/** Removes links that are now broken. */
function* unlink(
  links: readonly RemainingLink[],
): Plan<{ readonly unlinked: readonly string[]; readonly left: readonly string[] }> {
  const byFile = Map.groupBy(links, ({ file }) => file);
  const texts = yield* readFiles([...byFile.keys()].filter((file) => /\.mdx?$/.test(file)));
  const done = new Set<NamedLink>();
  const changes = [...texts].map(([path, text]) => {
    const edits = unlinkEdits(createLinkedText(text), byFile.get(path) ?? []);
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

/** Resolves a page's address relative to the root. An address with a host is returned unchanged. */
function* resolvePageAddress(name: string, listing: Listing): Plan<string> {
  if (/^https?:\/\/\S+$/i.test(name)) return name;
  const [path = "", anchor] = name.split("#");
  const file = yield* findPage(path, listing, "target");
  const page = toPagePath(file).replace(/(?<=.)\/index$/, "");
  return `/${page}${anchor === undefined ? "" : `#${anchor}`}`;
}

export function* addRedirect({ from, to }: TaskOf<"add_redirect">): Plan<string> {
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
  const place = redirectList(files);
  if (place === undefined)
    throw createRefusedError("the site has no docs.json to which a redirect could be added");
  const { path, root } = place.file;
  const { text } = root.source;
  const edit = place.add({ source: `/${source}`, destination });
  yield* editAll([{ path, text, edits: [edit] }], listing);
  return `Added a redirect from ${formatCode(`/${source}`)} to ${formatCode(destination)}.`;
}

interface RedirectList {
  readonly file: ConfigurationFile;
  readonly add: (redirect: { source: string; destination: string }) => TextEdit;
}

/** Finds the site's list of redirects, which is in its configuration or in a file that the configuration references. */
function redirectList(files: readonly ConfigurationFile[]): RedirectList | undefined {
  const [main] = files;
  const root = main?.root;
  if (main === undefined || !isJsonObject(root)) return undefined;
  const value = findJsonMember(root, "redirects");
  if (value === undefined) {
    return { file: main, add: (redirect) => appendListMember(root, "redirects", redirect) };
  }
  const name = findJsonMemberText(value, "$ref")?.replace(/^\.?\//, "");
  const file = isJsonList(value) ? main : files.find(({ path }) => path === name);
  const list = isJsonList(value) ? value : file?.root;
  if (file === undefined || !isJsonList(list)) return undefined;
  return { file, add: (redirect) => appendItem(list, redirect) };
}
