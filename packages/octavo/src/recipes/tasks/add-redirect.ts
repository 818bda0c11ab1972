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
import { createRefusedError } from "../instruction/refusal.ts";
import type { TaskOf } from "../instruction/task.ts";
import { normalizePagePath, quote, toPagePath } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { editAll, listPages } from "../site-tools.ts";
import { resolvePageAddress } from "./delete-page.ts";
import type { Recipe } from "./recipe.ts";
import { formatCode } from "./report-text.ts";

export const addRedirect: Recipe<TaskOf<"add_redirect">> = { kind: "add_redirect", run };

function* run({ from, to }: TaskOf<"add_redirect">): Plan<string> {
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
