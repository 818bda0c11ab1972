import { configurationPlaces } from "../configuration.ts";
import type { ConfigurationFile } from "../configuration.ts";
import { folderOf, letters, plainPath } from "../pages.ts";
import { isJsonList, jsonMember, jsonMemberText, jsonText } from "@octavo/site/text";
import type { JsonList, JsonNode } from "@octavo/site/text";

/** A group of the navigation, with where its list of pages stands. */
export interface NavigationGroup {
  readonly name: string;
  /** Names of what it stands in, outermost first: languages, versions, tabs, groups. */
  readonly within: readonly string[];
  /** `[language, version]` as the configuration names them, as far as it does. */
  readonly edition: readonly (string | undefined)[];
  readonly file: ConfigurationFile;
  readonly list: JsonList;
  /** The pages that it names itself, as it writes them. */
  readonly pages: readonly string[];
}

const divisionKeys = [
  "language",
  "version",
  "product",
  "tab",
  "item",
  "anchor",
  "dropdown",
  "group",
] as const;

export function groupsOf(files: readonly ConfigurationFile[]): NavigationGroup[] {
  return [...configurationPlaces(files)].flatMap(({ file, node, within }): NavigationGroup[] => {
    const name = jsonMemberText(node, "group");
    const list = jsonMember(node, "pages");
    if (name === undefined || !isJsonList(list)) return [];
    const pages = list.value.map(jsonText).filter((page) => page !== undefined);
    const edition = ["language", "version"].map((key) => innermost(within, key));
    const names = within.flatMap(divisionName);
    const around = names.filter((division, at) => division !== names[at - 1]);
    return [{ name, within: around, edition, file, list, pages }];
  });
}

function innermost(within: readonly JsonNode[], key: string): string | undefined {
  const named = within.map((node) => jsonMemberText(node, key));
  return named.findLast((name) => name !== undefined);
}

function divisionName(node: JsonNode): string[] {
  const names = divisionKeys.map((key) => jsonMemberText(node, key));
  return names.filter((name) => name !== undefined).slice(0, 1);
}

/** The groups that a name means: `Guides`, or with what it stands in: `API > Guides`. */
export function groupsNamed(name: string, groups: readonly NavigationGroup[]): NavigationGroup[] {
  const parts = name.split(/\s*(?:>|→|»)\s*/).map(letters);
  const last = parts.pop() ?? "";
  return groups.filter((group) => {
    if (letters(group.name) !== last && letters(group.name) !== last.replace(/group$/, ""))
      return false;
    const around = group.within.map(letters);
    return parts.every((part) => around.includes(part));
  });
}

/** Of groups that several languages or versions have, those of the first ones: they are what a site shows first. */
export function groupsOfMainEdition(
  found: readonly NavigationGroup[],
  groups: readonly NavigationGroup[],
): readonly NavigationGroup[] {
  const [main] = groups;
  const own = found.filter(({ edition }) =>
    edition.every((name, at) => name === main?.edition[at]),
  );
  return own.length > 0 ? own : found;
}

/** The groups that have pages of the folder. */
export function groupsOfFolder(
  folder: string,
  groups: readonly NavigationGroup[],
): NavigationGroup[] {
  return groups.filter(({ pages }) => pages.some((page) => folderOf(plainPath(page)) === folder));
}

export function groupTitle({ name, within }: NavigationGroup): string {
  return [...within, name].join(" > ");
}
