import { readConfiguration, redirectsOf } from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import type { TaskOf } from "../instruction/task.ts";
import { argument, clausePattern, valueOf } from "../instruction/words.ts";
import { pagePath, plainPath, quote } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editFiles, listPages } from "../site-tools.ts";
import { appendToArray, member, stringMember } from "../text/json-tree.ts";
import type { JsonArray } from "../text/json-tree.ts";
import type { TextEdit } from "../text/replacements.ts";
import type { Recipe } from "./recipe.ts";
import { addressOf } from "./remove-page.ts";
import { code, refused } from "./telling.ts";

const page = "(?:the )?(?:old |new )?(?:page |path |address |url )?";
const asked = [
  clausePattern(
    `(?:add|create|set up|make|put in) (?:a |an |the )?(?:new |permanent )?redirect(?:ion)? (?:from |for )${page}${argument} (?:to|→|->) ${page}${argument}`,
  ),
  clausePattern(`(?:redirect|forward) ${page}${argument} to ${page}${argument}`),
];

export const addRedirect: Recipe<TaskOf<"add_redirect">> = {
  kind: "add_redirect",
  ability: "add a redirect (“add a redirect from old/page to guides/start”)",
  parse(clause) {
    const found = asked.map((pattern) => pattern.exec(clause.text)).find((match) => match !== null);
    const [from, to] = [valueOf(found?.[1], clause), valueOf(found?.[2], clause)];
    if (from === "" || to === "" || /\s/.test(from + to) || /^https?:/i.test(from))
      return undefined;
    return [{ kind: "add_redirect", from, to }];
  },
  run,
};

function* run({ from, to }: TaskOf<"add_redirect">): Plan<string> {
  const listing = yield* listPages();
  const files = yield* readConfiguration();
  const source = plainPath(from);
  const destination = yield* addressOf(to, listing);
  if (listing.files.some((file) => pagePath(file) === source)) {
    throw refused(`there is a page at ${quote(`/${source}`)}, which a redirect from there would hide; move or delete the page instead`); // prettier-ignore
  }
  const known = redirectsOf(files).find((redirect) => redirect.source === source);
  if (known !== undefined)
    throw refused(`${quote(`/${source}`)} is redirected to ${quote(known.destination)} already`);
  const place = redirectList(files);
  if (place === undefined) throw refused("the site has no docs.json that could hold a redirect");
  const edit = redirectEdit(place, `/${source}`, destination);
  const { path, text } = place.file;
  const failure = (yield* editFiles([{ path, text, edits: [edit] }])).get(path);
  if (failure !== undefined) throw refused(`${path} could not be changed: ${failure}`);
  return `Added a redirect from ${code(`/${source}`)} to ${code(destination)}.`;
}

interface RedirectList {
  readonly file: ConfigurationFile;
  /** Undefined where there is none yet. */
  readonly list?: JsonArray;
}

/** Where the site keeps its redirects: in its configuration, or in the file that this names. */
function redirectList(files: readonly ConfigurationFile[]): RedirectList | undefined {
  const [main] = files;
  if (main === undefined) return undefined;
  const value = member(main.root, "redirects");
  if (value === undefined) return { file: main };
  if (value.type === "array") return { file: main, list: value };
  const name = stringMember(value, "$ref")?.replace(/^\.?\//, "");
  const file = files.find(({ path }) => path === name);
  return file?.root.type === "array" ? { file, list: file.root } : undefined;
}

function redirectEdit({ file, list }: RedirectList, source: string, destination: string): TextEdit {
  const entry = { source, destination };
  if (list !== undefined)
    return appendToArray(file.text, list, spelledLike(file.text, list, entry));
  const end = file.root.end - 1;
  const start = file.text.slice(0, end).trimEnd().length;
  const isEmpty = file.text[start - 1] === "{";
  const value = JSON.stringify(entry, undefined, 1).replaceAll(/\s+/g, " ");
  return { start, end: start, text: `${isEmpty ? "" : ","}\n  "redirects": [\n    ${value}\n  ]` };
}

/** On one line or several, as the last redirect stands. */
function spelledLike(
  text: string,
  list: JsonArray,
  entry: Readonly<Record<string, string>>,
): string {
  const last = list.items.at(-1);
  const spelling = last === undefined ? "" : text.slice(last.start, last.end);
  const inner = /\n([ \t]*)"/.exec(spelling)?.[1];
  const outer = /\n([ \t]*)\}$/.exec(spelling)?.[1];
  const pairs = Object.entries(entry).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  if (inner === undefined || outer === undefined) return `{ ${pairs.join(", ")} }`;
  return `{\n${inner}${pairs.join(`,\n${inner}`)}\n${outer}}`;
}
