import type { ConfigurationFile } from "../configuration.ts";
import { folderOf, letters, plainPath } from "../pages.ts";
import { member, placesOf, stringMember } from "../text/json-tree.ts";
import type { JsonArray, JsonNode } from "../text/json-tree.ts";

/** A group of the navigation, with where its list of pages stands. */
export interface NavigationGroup {
  readonly name: string;
  /** Names of what it stands in, outermost first: languages, versions, tabs, groups. */
  readonly within: readonly string[];
  readonly file: ConfigurationFile;
  readonly list: JsonArray;
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
  return files.flatMap((file) =>
    [...placesOf(file.root)].flatMap(({ node, within }): NavigationGroup[] => {
      const name = stringMember(node, "group");
      const list = member(node, "pages");
      if (name === undefined || list?.type !== "array") return [];
      const pages = list.items.flatMap((item) => (item.type === "string" ? [item.value] : []));
      return [{ name, within: within.flatMap(divisionName), file, list, pages }];
    }),
  );
}

function divisionName(node: JsonNode): string[] {
  const names = divisionKeys.map((key) => stringMember(node, key));
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
