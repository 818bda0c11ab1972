import type { Configuration } from "./configuration.ts";
import { everyValue, referenceOf } from "./configuration.ts";
import { appendItem, appendListMember, memberOf, removeEntries, setString } from "./json-text.ts";
import type { JsonList, JsonString, JsonText } from "./json-text.ts";
import type { TextEdit } from "./text-edit.ts";

/** One file's edit. */
export interface FileEdit {
  readonly file: string;
  readonly edit: TextEdit;
}

/** Members that hold an address of the site. */
const addressKeys: ReadonlySet<string> = new Set(["href", "url", "link"]);

/** Writes another address for each that `rename` gives one for: links around the pages. Redirects are `editRedirects`'. */
export function renameAddresses(
  configuration: Configuration,
  rename: (address: string) => string | undefined,
): FileEdit[] {
  return [...addressesOf(configuration)].flatMap(({ file, node }) => {
    const written = rename(node.value);
    return written === undefined ? [] : [{ file, edit: setString(node, written) }];
  });
}

function* addressesOf(
  configuration: Configuration,
): Generator<{ readonly file: string; readonly node: JsonString }> {
  for (const { path: file, root } of configuration.files.values()) {
    for (const object of everyValue(root)) {
      for (const node of addressMembers(object)) yield { file, node };
    }
  }
}

function addressMembers(node: JsonText): JsonString[] {
  if (node.kind !== "object") return [];
  return node.members.flatMap(({ key, value }) =>
    value.kind === "string" && addressKeys.has(key) ? [value] : [],
  );
}

/** Takes the links out of the lists around the pages (bar, footer) whose address `isGone` says to lead nowhere. */
export function removeLinks(
  { main }: Configuration,
  isGone: (address: string) => boolean,
): FileEdit[] {
  if (main.root.kind !== "object") return [];
  const around = main.root.members.filter(({ key }) => key !== "navigation" && key !== "redirects");
  return around.flatMap(({ value }) =>
    [...everyValue(value)].flatMap((list) => {
      if (list.kind !== "list") return [];
      const gone = list.items.map((item) =>
        addressMembers(item).some(({ value: address }) => isGone(address)),
      );
      if (!gone.includes(true)) return [];
      const edits = removeEntries(list, (index) => gone[index] === true);
      return edits.map((edit) => ({ file: main.path, edit }));
    }),
  );
}

/** Writes another path wherever a file of the site is named: logos, icons, descriptions. */
export function renameFiles(
  configuration: Configuration,
  move: { readonly from: string; readonly to: string },
): FileEdit[] {
  const edits: FileEdit[] = [];
  for (const { path: file, root } of configuration.files.values()) {
    for (const node of everyValue(root)) {
      const match = node.kind === "string" ? /^(\.?\/)?(.*)$/s.exec(node.value) : undefined;
      if (node.kind !== "string" || match?.[2] !== move.from) continue;
      edits.push({ file, edit: setString(node, (match[1] ?? "") + move.to) });
    }
  }
  return edits;
}

interface Redirect {
  readonly source: string;
  readonly destination: string;
}

/** What shall become of one redirect. */
export type RedirectFate = "keep" | "remove" | { readonly destination: string };

export interface RedirectChange {
  /** Is asked for every redirect that is there. */
  readonly fate: (redirect: Redirect) => RedirectFate;
  /** Is added where no redirect of that source stays. */
  readonly add?: Redirect;
}

/** Edits of the site's redirects, in the configuration or in the file that it names for them. */
export function editRedirects(configuration: Configuration, change: RedirectChange): FileEdit[] {
  const place = redirectList(configuration);
  if (!place) return change.add ? newRedirects(configuration, change.add) : [];
  const { file, list, text } = place;
  const { edits, removed, hasSource } = decideFates(list, change);
  if (removed.size > 0) edits.push(...removeEntries(list, (index) => removed.has(index)));
  if (change.add && !hasSource) edits.push(appended({ text, list, removed }, change.add));
  return edits.map((edit) => ({ file, edit }));
}

function newRedirects({ main }: Configuration, item: Redirect): FileEdit[] {
  const isOther = memberOf(main.root, "redirects") !== undefined;
  if (isOther || main.root.kind !== "object") return [];
  const member = { key: "redirects", item: { ...item } };
  return [{ file: main.path, edit: appendListMember(main.text, main.root, member) }];
}

function decideFates(
  list: JsonList,
  { fate: fateOf, add }: RedirectChange,
): { readonly edits: TextEdit[]; readonly removed: Set<number>; readonly hasSource: boolean } {
  const edits: TextEdit[] = [];
  const removed = new Set<number>();
  let hasSource = false;
  for (const [index, item] of list.items.entries()) {
    const source = memberOf(item, "source")?.value;
    const destination = memberOf(item, "destination")?.value;
    if (source?.kind !== "string" || destination?.kind !== "string") continue;
    const fate = fateOf({ source: source.value, destination: destination.value });
    if (fate === "remove") removed.add(index);
    else hasSource ||= sameAddress(source.value, add?.source);
    if (typeof fate === "object") edits.push(setString(destination, fate.destination));
  }
  return { edits, removed, hasSource };
}

/** An item behind a list of which nothing stays is written into the gap that the others leave. */
function appended(
  at: { readonly text: string; readonly list: JsonList; readonly removed: ReadonlySet<number> },
  item: Redirect,
): TextEdit {
  const edit = appendItem(at.text, at.list, { ...item });
  const isEmptied = at.removed.size > 0 && at.removed.size === at.list.items.length;
  if (!isEmptied) return edit;
  const end = at.list.end - 1;
  return { start: end, end, text: edit.text.replace(/^,/, "") + closingBlank(at.text, at.list) };
}

function closingBlank(text: string, list: JsonList): string {
  return text.slice(list.items.at(-1)?.end ?? list.end - 1, list.end - 1);
}

function redirectList(
  configuration: Configuration,
): { readonly file: string; readonly text: string; readonly list: JsonList } | undefined {
  const { main, files } = configuration;
  const value = memberOf(main.root, "redirects")?.value;
  if (value?.kind === "list") return { file: main.path, text: main.text, list: value };
  const path = value?.kind === "object" ? referenceOf(main.path, value) : undefined;
  const file = files.get(path ?? "");
  if (file?.root.kind !== "list") return undefined;
  return { file: file.path, text: file.text, list: file.root };
}

/** Whether two addresses are one but for slashes at their ends. */
export function sameAddress(a: string, b: string | undefined): boolean {
  return b !== undefined && withoutOuterSlashes(a) === withoutOuterSlashes(b);
}

export function withoutOuterSlashes(address: string): string {
  let [start, end] = [0, address.length];
  while (address[start] === "/") start++;
  while (end > start && address[end - 1] === "/") end--;
  return address.slice(start, end);
}
