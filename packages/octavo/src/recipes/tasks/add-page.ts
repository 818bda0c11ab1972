import { readConfiguration } from "../configuration.ts";
import type { Clause } from "../instruction/clauses.ts";
import type { TaskOf } from "../instruction/task.ts";
import { argument, isPath, isQuoted, quoted, valueOf } from "../instruction/words.ts";
import { folderOf, lastPart, pagePath, plainPath, quote } from "../pages.ts";
import { call, errorOf } from "../plan.ts";
import type { Plan } from "../plan.ts";
import { editFiles, listPages } from "../site-tools.ts";
import type { Listing } from "../site-tools.ts";
import { yamlText } from "@octavo/site/text";
import { appendItem, asciiSlugOf, slugOf } from "@octavo/site/text";
import {
  groupsNamed,
  groupsOf,
  groupsOfFolder,
  groupsOfMainEdition,
  groupTitle,
} from "./navigation-groups.ts";
import type { NavigationGroup } from "./navigation-groups.ts";
import type { Recipe } from "./recipe.ts";
import { code, tellParts, refused } from "./telling.ts";

type Field = "title" | "path" | "group" | "description" | "text";

/** `a "Webhooks" page`: its name before the noun. */
const namedBefore =
  /^(add|create|make|write) (?:(?:a|an|the|new) )*("\d+"|[A-Z][\w-]*|[\w.-]+\/[\w./-]+) (?:page|article|document)(?! (?:called|named|titled|about)\b)(?= |$)/i;
const opening =
  /^(?:add|create|make|write|start|set up|insert) (?:(?:a|an|another|the|one|me|us|new|blank|empty|simple|draft|docs?|documentation) )*(?:page|doc|document|article)(?: (?:called|named|titled|entitled|with (?:the )?title|for|about|on))?:? /i;
/** What may follow the title, in any order. */
type FieldPattern = readonly [Field, RegExp];
const options: readonly FieldPattern[] = [
  [
    "group",
    new RegExp(
      String.raw`^(?:to|in|into|under|inside|within) (?:the )?(?:navigation )?(?:group|section)(?: called| named)? ("\d+"|[^",]+?)(?=$|,| and | with | at | titled | described )`,
      "i",
    ),
  ],
  [
    "group",
    new RegExp(
      String.raw`^(?:to|in|into|under|inside|within) (?:the )?("\d+"|[^",]+?) (?:group|section)(?= |,|$)`,
      "i",
    ),
  ],
  [
    "group",
    new RegExp(`^(?:to|in|into|under) (?:the )?${quoted}(?: in the navigation)?(?= |,|$)`, "i"),
  ],
  [
    "path",
    new RegExp(
      `^(?:at|as|with (?:the |a )?(?:path|slug|url|address|file ?name)|under the path|path|in the file)(?: of)?:? (?:the path )?${argument}(?= |,|$)`,
      "i",
    ),
  ],
  [
    "title",
    new RegExp(
      `^(?:titled|called|named|entitled|with (?:the |a )?title)(?: of)?:? ${quoted}(?= |,|$)`,
      "i",
    ),
  ],
  [
    "description",
    new RegExp(
      `^(?:with |and |using )?(?:the |a |this |its )?(?:short )?description(?: of)?:? ${quoted}(?= |,|$)`,
      "i",
    ),
  ],
  [
    "text",
    new RegExp(
      `^(?:with |and |containing |saying |that says |which says |using )?(?:the |this |its )?(?:following )?(?:text|content|body|words)?:? ?${quoted}(?= |,|$)`,
      "i",
    ),
  ],
];
/** Behind a title in quotation marks a group needs no noun: `page "Webhooks" in Guides`. */
const afterQuotes: readonly FieldPattern[] = [
  ...options,
  [
    "group",
    /^(?:to|in|into|under) (?:the )?([A-Za-z][\w-]*(?: [A-Z][\w-]*){0,4})(?: in the navigation)?(?=$|,| and | with )/,
  ],
];
/** Whether `Webhooks to Guides` is a title or a title and a group, nobody can say. */
const endsInPlace = /\s(?:to|in|into|under|inside|within)\s/i;
const between =
  /^(?:(?:,|and|with|it|add it|put it|plus)(?= |,|$) ?)+(?=(?:to|in|into|under|at|as|with|titled|called|the|a|path|description|text|content|body|containing|saying)\b)/i;

export const addPage: Recipe<TaskOf<"add_page">> = {
  kind: "add_page",
  ability:
    "add a page to a group of the navigation (“add a page 'Deploying to Fly' to the group Guides”)",
  parse(whole) {
    const clause = withNameBehind(whole);
    const start = opening.exec(clause.text)?.[0];
    if (start === undefined) return undefined;
    const rest = clause.text.slice(start.length);
    for (const end of namesEnd(rest)) {
      const name = rest.slice(0, end);
      const known = isQuoted(name) ? afterQuotes : options;
      const fields = readOptions(rest.slice(end).trimStart(), known);
      if (fields === undefined) continue;
      if (fields.size === 0 && endsInPlace.test(name)) return undefined;
      return taskOf(
        valueOf(name, clause),
        isQuoted(name),
        new Map([...fields].map(([field, part]) => [field, valueOf(part, clause)])),
      );
    }
    return undefined;
  },
  run,
};

/** The same with the name behind the noun, in quotation marks. */
function withNameBehind(clause: Clause): Clause {
  const [whole = "", verb = "", name = ""] = namedBefore.exec(clause.text) ?? [];
  const isName = isQuoted(name) || isPath(name) || /^[A-Z]/.test(name);
  if (!isName) return clause;
  const quotes = [...clause.quotes, valueOf(name, clause)];
  const rest = clause.text.slice(whole.length);
  return { text: `${verb} page "${quotes.length - 1}"${rest}`, quotes };
}

/** Where the page's name may end: behind its quotation, or before any later word. */
function namesEnd(rest: string): number[] {
  const first = new RegExp(`^${quoted}`).exec(rest)?.[0];
  if (first !== undefined) return [first.length];
  const ends = [...rest.matchAll(/(?= )|,|$/g)].map(({ index }) => index);
  return ends.filter((end) => end > 0).slice(0, 20);
}

function readOptions(text: string, known: readonly FieldPattern[]): Map<Field, string> | undefined {
  const fields = new Map<Field, string>();
  let rest = text;
  while (rest !== "") {
    rest = rest.replace(between, "").trimStart();
    const found = known.find(([field, pattern]) => !fields.has(field) && pattern.test(rest));
    const match = found?.[1].exec(rest);
    if (found === undefined || !match) return undefined;
    fields.set(found[0], match[1] ?? "");
    rest = rest.slice(match[0].length).replace(/^\s*,?\s*/, "");
  }
  return fields;
}

function taskOf(
  name: string,
  isTitle: boolean,
  fields: ReadonlyMap<Field, string>,
): TaskOf<"add_page">[] | undefined {
  const isAddress = isPath(name) || (!isTitle && fields.has("title"));
  const named = isTitle ? name : capitalized(name);
  const title = fields.get("title") ?? (isAddress ? undefined : named);
  const path = fields.get("path") ?? (isAddress ? name : undefined);
  if (name === "" || (title ?? "").length > 200 || /\n/.test(title ?? "")) return undefined;
  if (path !== undefined && !/^\/?[\w.-]+(?:\/[\w.-]+)*$/.test(path)) return undefined;
  const given = {
    title,
    path,
    group: fields.get("group"),
    description: fields.get("description"),
    text: fields.get("text"),
  };
  const present = Object.entries(given).filter(([, value]) => value !== undefined && value !== "");
  return [{ kind: "add_page", ...Object.fromEntries(present) }];
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function* run(task: TaskOf<"add_page">): Plan<string> {
  const listing = yield* listPages();
  const groups = groupsOf(yield* readConfiguration());
  const group = groupFor(task, groups);
  const path = pathFor(task, group);
  const file = `${path}${extensionFor(path, listing)}`;
  if (listing.files.some((other) => pagePath(other).toLowerCase() === path.toLowerCase())) {
    throw refused(`there is already a page ${quote(path)}`);
  }
  const title = task.title ?? titleFrom(path);
  const answer = yield* call("write", { path: file, content: pageText({ ...task, title }) });
  const error = errorOf(answer);
  if (error !== undefined) throw refused(`the page ${quote(file)} could not be written: ${error}`);
  if (group !== undefined) yield* addToGroup(group, path);
  const missing = [
    ...(task.description === undefined ? ["a description"] : []),
    ...(task.text === undefined ? ["a text"] : []),
  ];
  return tellParts(
    `Added the page ${code(file)} with the title ${quote(title)}${group === undefined ? "" : ` at the end of the group ${quote(groupTitle(group))}`}.`,
    missing.length > 0 ? `It has no ${missing.join(" and no ").replaceAll(/\ba /g, "")} yet: none was given, and I invent none.` : "", // prettier-ignore
  );
}

function* addToGroup(group: NavigationGroup, path: string): Plan<void> {
  const { file, list, pages } = group;
  const entry = pages.at(-1)?.startsWith("/") === true ? `/${path}` : path;
  const { text } = list.source;
  const edits = [appendItem(list, entry)];
  const failures = yield* editFiles([{ path: file.path, text, edits }]);
  const failure = failures.get(file.path);
  if (failure !== undefined) {
    throw refused(`the page could not be added to the navigation in ${file.path}: ${failure}`);
  }
}

/** The group that is named, or the one that has the other pages of the page's folder. */
function groupFor(
  { group: name, path }: TaskOf<"add_page">,
  groups: readonly NavigationGroup[],
): NavigationGroup | undefined {
  // A site without groups takes its navigation from its folders.
  if (groups.length === 0 && name === undefined) return undefined;
  const meant = name === undefined ? groupsByPath(path, groups) : groupsNamed(name, groups);
  const found = groupsOfMainEdition(meant, groups);
  if (found.length === 1) return found[0];
  const known = (found.length > 0 ? found : groups)
    .slice(0, 12)
    .map((group) => quote(groupTitle(group)));
  if (name === undefined)
    throw refused(`say to which group of the navigation the page belongs: ${known.join(", ")}`);
  const problem =
    found.length === 0
      ? `the navigation has no group ${quote(name)}`
      : `the navigation has ${found.length} groups ${quote(name)}`;
  throw refused(`${problem}; there are ${known.join(", ")}`);
}

function groupsByPath(
  path: string | undefined,
  groups: readonly NavigationGroup[],
): readonly NavigationGroup[] {
  if (groups.length === 1 || path === undefined) return groups;
  return groupsOfFolder(folderOf(plainPath(path)), groups);
}

function pathFor(
  { path, title = "" }: TaskOf<"add_page">,
  group: NavigationGroup | undefined,
): string {
  if (path !== undefined) return plainPath(path);
  const hasWords = /[\p{L}\p{N}]/u.test(title);
  const name = asciiSlugOf(title) || (hasWords ? slugOf(title) : "");
  if (name === "")
    throw refused(
      `no file name can be made of the title ${quote(title)}; say at which path the page shall be`,
    );
  const folder = folderOf(plainPath(group?.pages.at(-1) ?? ""));
  return folder === "" ? name : `${folder}/${name}`;
}

/** As the other pages of its folder, or of the site. */
function extensionFor(path: string, { files }: Listing): string {
  const beside = files.filter((file) => folderOf(file) === folderOf(path));
  const others = beside.length > 0 ? beside : files;
  return others.length > 0 && others.every((file) => file.endsWith(".md")) ? ".md" : ".mdx";
}

function titleFrom(path: string): string {
  return capitalized(lastPart(path).replaceAll(/[-_]+/g, " ").trim());
}

function pageText({
  title,
  description,
  text,
}: TaskOf<"add_page"> & { readonly title: string }): string {
  const fields = [`title: ${yamlText(title)}`];
  if (description !== undefined) fields.push(`description: ${yamlText(description)}`);
  const body = text === undefined ? "" : `\n${text.replaceAll("\r\n", "\n").trim()}\n`;
  return `---\n${fields.join("\n")}\n---\n${body}`;
}
