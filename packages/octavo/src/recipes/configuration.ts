import { isDeepStrictEqual } from "node:util";
import { foldLettersAndDigits } from "@octavo/site/core";
import {
  findJsonMember,
  findJsonMemberText,
  isJsonString,
  resolveJsonReference,
  setString,
  tryParseJson,
  walkJson,
} from "@octavo/site/text";
import type { JsonEntry, JsonNode, JsonObject, JsonString } from "@octavo/site/text";
import type { TaskOf } from "./instruction/forms.ts";
import { createRefusedError } from "./instruction/refusal.ts";
import type { Plan } from "./plan.ts";
import { editAll, listPages, readFiles } from "./site-tools.ts";
import { formatCode, formatList, joinParagraphs, joinWords, quote } from "./tasks/report-text.ts";
import { findClosestNames } from "./tasks/words.ts";

/**
 * A file of the site's configuration: `docs.json`, `mint.json`, or a file that one of these includes through `$ref`.
 */
export interface ConfigurationFile {
  readonly path: string;
  readonly root: JsonNode;
}

/** The maximum depth of nested files, including the main file. */
const maxReferenceDepth = 5;
const maxFiles = 100;

/**
 * Reads the configuration's files, beginning with the main file. Returns an empty list if the site has no readable
 * configuration.
 */
export function* readConfiguration(): Plan<readonly ConfigurationFile[]> {
  const files = new Map<string, ConfigurationFile>();
  let found = parseFiles(yield* readFiles(["docs.json"]));
  // If both files exist, `docs.json` takes precedence.
  if (found.length === 0) found = parseFiles(yield* readFiles(["mint.json"]));
  for (let round = 1; found.length > 0; round++) {
    for (const file of found) files.set(file.path, file);
    if (round === maxReferenceDepth) break;
    const referencedPaths = found
      .flatMap(({ root }) =>
        [...walkJson(root)].flatMap((entry) => findReferencedPath(entry) ?? []),
      )
      .filter((path) => !files.has(path))
      .slice(0, maxFiles - files.size);
    found = parseFiles(yield* readFiles(referencedPaths));
  }
  return [...files.values()];
}

function parseFiles(texts: ReadonlyMap<string, string>): ConfigurationFile[] {
  return [...texts].flatMap(([path, text]) => {
    const root = tryParseJson(path, text);
    return root === undefined ? [] : [{ path, root }];
  });
}

/** Returns the path of the file that the value of a `$ref` references. */
function findReferencedPath({ key, node }: JsonEntry): string | undefined {
  return key === "$ref" ? resolveJsonReference(node).path : undefined;
}

interface ConfigurationEntry extends JsonEntry {
  readonly file: ConfigurationFile;
}

/** Yields every value of the configuration in document order, with an included file's values after its reference. */
export function* listConfigurationEntries(
  files: readonly ConfigurationFile[],
): Generator<ConfigurationEntry> {
  const [main] = files;
  if (main !== undefined) yield* listEntriesWithin(main, files, []);
}

function* listEntriesWithin(
  file: ConfigurationFile,
  files: readonly ConfigurationFile[],
  enclosing: readonly JsonObject[],
  depth = 0,
): Generator<ConfigurationEntry> {
  for (const entry of walkJson(file.root, enclosing)) {
    yield { ...entry, file };
    const referencedPath = depth > maxReferenceDepth ? undefined : findReferencedPath(entry);
    const included = files.find(({ path }) => path === referencedPath);
    if (included !== undefined) yield* listEntriesWithin(included, files, entry.within, depth + 1);
  }
}

export interface Redirect {
  /** The source, without leading and trailing slashes. */
  readonly source: string;
  readonly destination: string;
}

export function listRedirects(files: readonly ConfigurationFile[]): Redirect[] {
  return files.flatMap(({ root }) =>
    [...walkJson(root)].flatMap(({ node }) => {
      const source = findJsonMemberText(node, "source");
      const destination = findJsonMemberText(node, "destination");
      if (source === undefined || destination === undefined) return [];
      return [{ source: source.replaceAll(/^\/+|\/+$/g, ""), destination }];
    }),
  );
}

/** A group, a tab or another named division of the navigation. */
export interface Division {
  readonly name: string;
  /** Names of the enclosing divisions (languages, versions, tabs, groups), outermost first. */
  readonly within: readonly string[];
  /**
   * Whether all enclosing languages and versions are the first in their lists, so that the site shows this division
   * first.
   */
  readonly isMain: boolean;
  readonly file: ConfigurationFile;
  /** The JSON string that contains the division's name. */
  readonly label: JsonString;
  readonly node: JsonNode;
}

const divisionKeys = "language version product tab item anchor dropdown group".split(" ");

/** Lists the divisions of one kind, in navigation order. */
export function listDivisions(
  files: readonly ConfigurationFile[],
  kind: "group" | "tab",
): Division[] {
  const isMainEdition = createMainEditionTest();
  return [...listConfigurationEntries(files)].flatMap(({ file, node, within }): Division[] => {
    const isMain = isMainEdition(within);
    const label = findJsonMember(node, kind);
    if (!isJsonString(label)) return [];
    const names = within.flatMap(findDivisionName);
    const distinctNames = names.filter((division, index) => division !== names[index - 1]);
    return [{ name: label.value, within: distinctNames, isMain, file, label, node }];
  });
}

/**
 * Creates a function that reports whether each of a value's enclosing languages and versions is the first in its list.
 * It must be called in document order.
 */
export function createMainEditionTest(): (within: readonly JsonNode[]) => boolean {
  const firsts = new Map<string, string>();
  return (within) =>
    within.every((node, index) =>
      ["language", "version"].every((key) => {
        const name = findJsonMemberText(node, key);
        if (name === undefined) return true;
        const listKey = JSON.stringify([key, ...within.slice(0, index).flatMap(findDivisionName)]);
        const first = firsts.get(listKey) ?? name;
        firsts.set(listKey, first);
        return first === name;
      }),
    );
}

function findDivisionName(node: JsonNode): string[] {
  const names = divisionKeys.map((key) => findJsonMemberText(node, key));
  return names.filter((name) => name !== undefined).slice(0, 1);
}

/**
 * Returns the divisions to which a name such as `Guides` refers, or `API > Guides` with an enclosing division. Without
 * one, omits divisions in languages and versions other than the first, unless `isAnywhere` is set.
 */
function findDivisions<One extends Division>(
  name: string,
  all: readonly One[],
  isAnywhere = /[>→»]/.test(name),
): One[] {
  const parts = name.split(/\s*(?:>|→|»)\s*/).map(foldLettersAndDigits);
  const last = parts.pop() ?? "";
  return all.filter(({ name: divisionName, within, isMain }) => {
    const enclosingNames = within.map(foldLettersAndDigits);
    return (
      (isMain || isAnywhere) &&
      foldLettersAndDigits(divisionName) === last &&
      parts.every((part) => enclosingNames.includes(part))
    );
  });
}

interface DivisionSlot {
  readonly kind: "group" | "tab";
  /** The slot of the form that names the division. */
  readonly slot: string;
}

/** The maximum number of divisions that a refusal names. */
const maxNamed = 12;

/** Returns the only division that has a name. Throws `invalid_input` if there is none, or if there are several. */
export function findDivision<One extends Division>(
  name: string,
  all: readonly One[],
  { kind, slot }: DivisionSlot,
): One {
  const found = findDivisions(name, all);
  const exact = found.filter((division) => division.name === name);
  const [division, ...others] = exact.length > 0 ? exact : found;
  if (division !== undefined && others.length === 0) return division;
  const known = formatDivisions(all.filter(({ isMain }) => isMain));
  const isListed = known.length > 0 && known.length <= maxNamed;
  const shown = isListed ? `; it has ${joinWords(known.map(quote))}` : "";
  const problem = found.length > 0 ? `${found.length} ${kind}s named ${quote(name)}` : `no ${kind} ${quote(name)}${shown}`; // prettier-ignore
  const names = found.length > 0 ? formatDivisions(found) : findClosestNames(name, known);
  const choices = slot === "scope" ? names.map((own) => `the ${kind} “${own}”`) : names;
  throw createRefusedError(`the navigation has ${problem}`, { slot, choices });
}

/** Returns the distinct names of divisions, with their enclosing divisions. */
export function formatDivisions(divisions: readonly Division[]): string[] {
  return [...new Set(divisions.map(formatDivision))];
}

export function formatDivision({ name, within }: Division): string {
  return [...within, name].join(" > ");
}

/** Renames a group or a tab of the navigation. Addresses do not depend on these names. */
export function* renameDivision(task: TaskOf<"rename_division">): Plan<string> {
  const { division: kind, to } = task;
  const listing = yield* listPages();
  const all = listDivisions(yield* readConfiguration(), kind);
  const division = findDivision(task.name, all, { kind, slot: kind });
  const siblings = all.filter(
    ({ file, within }) => file === division.file && isDeepStrictEqual(within, division.within),
  );
  if (siblings.some(({ name }) => name === to)) {
    throw createRefusedError(`there is already a ${kind} ${quote(to)} next to it`);
  }
  const { path, root } = division.file;
  const edits = [setString(division.label, to)];
  yield* editAll([{ path, text: root.source.text, edits }], listing);
  const others = findDivisions(task.name, all, true)
    .filter((other) => other !== division)
    .map(formatDivision);
  return joinParagraphs(
    `Renamed the ${kind} ${quote(formatDivision(division))} to ${quote(to)} in ${formatCode(path)}.`,
    formatList(
      `Left unchanged, because they are in another language or version:`,
      others.map(quote),
    ),
  );
}
