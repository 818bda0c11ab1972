import {
  appendItem,
  appendListMember,
  findJsonMember,
  findJsonMembers,
  isJsonList,
  isJsonObject,
  isJsonString,
  removeEntries,
  setString,
  walkJson,
} from "@octavo/site/text";
import type { JsonList, JsonNode, JsonString, TextEdit } from "@octavo/site/text";
import { findReference, type Configuration } from "./configuration.ts";

/** An edit of one configuration file. */
export interface ConfigurationEdit {
  readonly file: string;
  readonly edit: TextEdit;
}

/** Names of members whose value is an address of the site. */
const addressKeys: ReadonlySet<string> = new Set(["href", "url", "link"]);

/**
 * Replaces the addresses of links around the pages (bar, footer) if `rename` returns a new address. For redirects, use
 * `editRedirects`.
 */
export function renameAddresses(
  configuration: Configuration,
  rename: (address: string) => string | undefined,
): ConfigurationEdit[] {
  return [...listAddresses(configuration)].flatMap(({ file, node }) => {
    const newAddress = rename(node.value);
    return newAddress === undefined ? [] : [{ file, edit: setString(node, newAddress) }];
  });
}

function* listAddresses(
  configuration: Configuration,
): Generator<{ readonly file: string; readonly node: JsonString }> {
  for (const { path: file, root } of configuration.files.values()) {
    for (const entry of walkJson(root)) {
      for (const node of listAddressMembers(entry.node)) yield { file, node };
    }
  }
}

function listAddressMembers(node: JsonNode): JsonString[] {
  return [...(findJsonMembers(node) ?? [])].flatMap(([key, value]) =>
    isJsonString(value) && addressKeys.has(key) ? [value] : [],
  );
}

/** Removes the links around the pages (bar, footer) whose targets were removed. */
export function removeLinks(
  { main }: Configuration,
  isRemoved: (address: string) => boolean,
): ConfigurationEdit[] {
  const isRemovedLink = (item: JsonNode) =>
    listAddressMembers(item).some(({ value: address }) => isRemoved(address));
  const otherMembers = [...(findJsonMembers(main.root) ?? [])].filter(
    ([key]) => key !== "navigation" && key !== "redirects",
  );
  return otherMembers.flatMap(([, value]) =>
    [...walkJson(value)].flatMap(({ node }) => {
      if (!isJsonList(node) || !node.value.some(isRemovedLink)) return [];
      return removeEntries(node, isRemovedLink).map((edit) => ({ file: main.path, edit }));
    }),
  );
}

interface Redirect {
  readonly source: string;
  readonly destination: string;
}

/** The decision about one redirect. */
type RedirectDecision = "keep" | "remove" | { readonly destination: string };

interface RedirectChange {
  /** Decides what becomes of a redirect. Called for every redirect. */
  readonly decide: (redirect: Redirect) => RedirectDecision;
  /** The redirect that is added if no redirect from the same source remains. */
  readonly add?: Redirect;
}

/** Edits the site's redirects, in the configuration or in the file that the configuration references. */
export function editRedirects(
  configuration: Configuration,
  change: RedirectChange,
): ConfigurationEdit[] {
  const redirects = findRedirectList(configuration);
  if (!redirects) return change.add ? addRedirectMember(configuration, change.add) : [];
  const { file, list } = redirects;
  const { edits, removed, hasSource } = decideRedirects(list, change);
  if (removed.size > 0) edits.push(...removeEntries(list, (item) => removed.has(item)));
  if (change.add && !hasSource) edits.push(appendRedirect(list, removed, change.add));
  return edits.map((edit) => ({ file, edit }));
}

function addRedirectMember({ main }: Configuration, item: Redirect): ConfigurationEdit[] {
  const hasMember = findJsonMember(main.root, "redirects") !== undefined;
  if (hasMember || !isJsonObject(main.root)) return [];
  return [{ file: main.path, edit: appendListMember(main.root, "redirects", { ...item }) }];
}

function decideRedirects(
  list: JsonList,
  { decide, add }: RedirectChange,
): { readonly edits: TextEdit[]; readonly removed: Set<JsonNode>; readonly hasSource: boolean } {
  const edits: TextEdit[] = [];
  const removed = new Set<JsonNode>();
  let hasSource = false;
  for (const item of list.value) {
    const source = findJsonMember(item, "source");
    const destination = findJsonMember(item, "destination");
    if (!isJsonString(source) || !isJsonString(destination)) continue;
    const decision = decide({ source: source.value, destination: destination.value });
    if (decision === "remove") removed.add(item);
    else hasSource ||= isSameAddress(source.value, add?.source);
    if (typeof decision === "object") edits.push(setString(destination, decision.destination));
  }
  return { edits, removed, hasSource };
}

/** Appends an item to a list. If all other items are removed, the new item replaces them. */
function appendRedirect(list: JsonList, removed: ReadonlySet<JsonNode>, item: Redirect): TextEdit {
  const edit = appendItem(list, { ...item });
  const willBeEmpty = removed.size > 0 && removed.size === list.value.length;
  if (!willBeEmpty) return edit;
  const end = list.end - 1;
  const closingWhitespace = list.source.text.slice(list.value.at(-1)?.end ?? end, end);
  return { start: end, end, text: edit.text.replace(/^,/, "") + closingWhitespace };
}

function findRedirectList(
  configuration: Configuration,
): { readonly file: string; readonly list: JsonList } | undefined {
  const { main, files } = configuration;
  const value = findJsonMember(main.root, "redirects");
  if (isJsonList(value)) return { file: main.path, list: value };
  const file = value && files.get(findReference(value) ?? "");
  return isJsonList(file?.root) ? { file: file.path, list: file.root } : undefined;
}

/** Reports whether two addresses differ only in leading and trailing slashes. */
export function isSameAddress(a: string, b: string | undefined): boolean {
  return b !== undefined && stripOuterSlashes(a) === stripOuterSlashes(b);
}

function stripOuterSlashes(address: string): string {
  let [start, end] = [0, address.length];
  while (address[start] === "/") start++;
  while (end > start && address[end - 1] === "/") end--;
  return address.slice(start, end);
}
