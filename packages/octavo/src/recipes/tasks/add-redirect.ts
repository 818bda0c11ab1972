import { readConfiguration, redirectsOf } from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import type { TaskOf } from "../instruction/task.ts";
import { argument, clausePattern, valueOf } from "../instruction/words.ts";
import { pagePath, plainPath, quote } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editFiles, listPages } from "../site-tools.ts";
import {
  appendItem,
  appendListMember,
  isJsonList,
  isJsonObject,
  jsonMember,
  jsonMemberText,
} from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";
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
  const { path, root } = place.file;
  const { text } = root.source;
  const edit = place.add({ source: `/${source}`, destination });
  const failure = (yield* editFiles([{ path, text, edits: [edit] }])).get(path);
  if (failure !== undefined) throw refused(`${path} could not be changed: ${failure}`);
  return `Added a redirect from ${code(`/${source}`)} to ${code(destination)}.`;
}

interface RedirectList {
  readonly file: ConfigurationFile;
  readonly add: (redirect: { source: string; destination: string }) => TextEdit;
}

/** Where the site keeps its redirects: in its configuration, or in the file that this names. */
function redirectList(files: readonly ConfigurationFile[]): RedirectList | undefined {
  const [main] = files;
  const root = main?.root;
  if (main === undefined || !isJsonObject(root)) return undefined;
  const value = jsonMember(root, "redirects");
  if (value === undefined) {
    return { file: main, add: (redirect) => appendListMember(root, "redirects", redirect) };
  }
  const name = jsonMemberText(value, "$ref")?.replace(/^\.?\//, "");
  const file = isJsonList(value) ? main : files.find(({ path }) => path === name);
  const list = isJsonList(value) ? value : file?.root;
  if (file === undefined || !isJsonList(list)) return undefined;
  return { file, add: (redirect) => appendItem(list, redirect) };
}
