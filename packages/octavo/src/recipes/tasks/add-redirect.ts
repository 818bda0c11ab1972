import { readConfiguration, redirectsOf } from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import type { TaskOf } from "../instruction/task.ts";
import { pagePath, plainPath, quote } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { refused } from "../instruction/refusal.ts";
import { editAll, listPages } from "../site-tools.ts";
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
import { addressOf } from "./delete-page.ts";
import { code } from "./telling.ts";

export const addRedirect: Recipe<TaskOf<"add_redirect">> = { kind: "add_redirect", run };

function* run({ from, to }: TaskOf<"add_redirect">): Plan<string> {
  const listing = yield* listPages();
  const files = yield* readConfiguration();
  const source = plainPath(from);
  const destination = yield* addressOf(to, listing);
  if (listing.files.some((file) => pagePath(file) === source)) {
    const send = [`Delete the page ${source} and redirect to ${to}`];
    throw refused(`there is a page at ${quote(`/${source}`)}, which a redirect from there would hide`, { send }); // prettier-ignore
  }
  const known = redirectsOf(files).find((redirect) => redirect.source === source);
  if (known?.destination === destination) return `${code(`/${source}`)} already redirects there.`;
  if (known !== undefined)
    throw refused(`${quote(`/${source}`)} already redirects to ${quote(known.destination)}`);
  const place = redirectList(files);
  if (place === undefined) throw refused("the site has no docs.json to add a redirect to");
  const { path, root } = place.file;
  const { text } = root.source;
  const edit = place.add({ source: `/${source}`, destination });
  yield* editAll([{ path, text, edits: [edit] }], listing);
  return `Added a redirect from ${code(`/${source}`)} to ${code(destination)}.`;
}

interface RedirectList {
  readonly file: ConfigurationFile;
  readonly add: (redirect: { source: string; destination: string }) => TextEdit;
}

/** Finds the site's list of redirects: in its configuration, or in a file that this references. */
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
