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
import { formatCode, formatList, joinParagraphs, quote } from "./tasks/report-text.ts";
import { findClosestNames } from "./tasks/words.ts";

/**
 * A file of the site's configuration: `docs.json`, `mint.json`, or a file that one of these includes through `$ref`.
 */
export interface ConfigurationFile {
  readonly path: string;
  readonly root: JsonNode;
}

/** The maximum depth of nested file references. */
const maxRounds = 5;
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
    if (round === maxRounds) break;
    const wanted = found
      .flatMap(({ root }) =>
        [...walkJson(root)].flatMap((place) => findReferencedPath(place) ?? []),
      )
      .filter((path) => !files.has(path))
      .slice(0, maxFiles - files.size);
    found = parseFiles(yield* readFiles(wanted));
  }
  return [...files.values()];
}

function parseFiles(texts: ReadonlyMap<string, string>): ConfigurationFile[] {
  return [...texts].flatMap(([path, text]) => {
    const root = tryParseJson(path, text);
    return root === undefined ? [] : [{ path, root }];
  });
}

/** Returns the path of the referenced file if the value belongs to a `$ref`. */
function findReferencedPath({ key, node }: JsonEntry): string | undefined {
  return key === "$ref" ? resolveJsonReference(node).path : undefined;
}

interface ConfigurationEntry extends JsonEntry {
  readonly file: ConfigurationFile;
}

/** Yields every value of the configuration in document order, with each included file at its reference. */
export function* listConfigurationEntries(
  files: readonly ConfigurationFile[],
): Generator<ConfigurationEntry> {
  const [main] = files;
  if (main !== undefined) yield* listEntriesWithin(main, files, []);
}

function* listEntriesWithin(
  file: ConfigurationFile,
  files: readonly ConfigurationFile[],
  around: readonly JsonObject[],
  depth = 0,
): Generator<ConfigurationEntry> {
  for (const place of walkJson(file.root, around)) {
    yield { ...place, file };
    const named = depth > maxRounds ? undefined : findReferencedPath(place);
    const other = files.find(({ path }) => path === named);
    if (other !== undefined) yield* listEntriesWithin(other, files, place.within, depth + 1);
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
  /** The JSON string that contains its name. */
  readonly label: JsonString;
  readonly node: JsonNode;
}

const divisionKeys = "language version product tab item anchor dropdown group".split(" ");

/** Lists the divisions of a kind, in navigation order. */
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
    const around = names.filter((division, at) => division !== names[at - 1]);
    return [{ name: label.value, within: around, isMain, file, label, node }];
  });
}

/**
 * Creates a test that reports whether each enclosing language and version is the first in its list. Positions must be
 * passed in document order.
 */
export function createMainEditionTest(): (within: readonly JsonNode[]) => boolean {
  const firsts = new Map<string, string>();
  return (within) =>
    within.every((node, index) =>
      ["language", "version"].every((key) => {
        const name = findJsonMemberText(node, key);
        if (name === undefined) return true;
        const around = JSON.stringify([key, ...within.slice(0, index).flatMap(findDivisionName)]);
        const first = firsts.get(around) ?? name;
        firsts.set(around, first);
        return first === name;
      }),
    );
}

function findDivisionName(node: JsonNode): string[] {
  const names = divisionKeys.map((key) => findJsonMemberText(node, key));
  return names.filter((name) => name !== undefined).slice(0, 1);
}

/** Returns the divisions to which a name refers: `Guides`, or with an enclosing division, `API > Guides`. */
export function findDivisions<One extends Division>(name: string, all: readonly One[]): One[] {
  const parts = name.split(/\s*(?:>|→|»)\s*/).map(foldLettersAndDigits);
  const last = parts.pop() ?? "";
  return all.filter(({ name: own, within }) => {
    const around = within.map(foldLettersAndDigits);
    return foldLettersAndDigits(own) === last && parts.every((part) => around.includes(part));
  });
}

/**
 * Narrows divisions that exist in several languages or versions to the first ones. Returns all if the name specifies
 * one.
 */
export function filterMainDivisions<One extends Division>(
  found: readonly One[],
  name = "",
): readonly One[] {
  return /[>→»]/.test(name) ? found : found.filter(({ isMain }) => isMain);
}

export function formatDivision({ name, within }: Division): string {
  return [...within, name].join(" > ");
}

type Renaming = TaskOf<"rename_division">;

/** Renames a group or a tab of the navigation. No address depends on its name. */
export function* renameDivision(task: Renaming): Plan<string> {
  const { division: kind, to } = task;
  const listing = yield* listPages();
  const all = listDivisions(yield* readConfiguration(), kind);
  const named = findDivisions(task.name, all);
  const [division] = expectSingleDivision(task, named);
  if (division === undefined)
    throw createUnknownDivisionError(task, named.length > 0 ? named : filterMainDivisions(all));
  const beside = all.filter(
    ({ file, within }) => file === division.file && isDeepStrictEqual(within, division.within),
  );
  if (beside.some(({ name }) => name === to)) {
    throw createRefusedError(`there is already a ${kind} ${quote(to)} next to it`);
  }
  const { path, root } = division.file;
  const edits = [setString(division.label, to)];
  yield* editAll([{ path, text: root.source.text, edits }], listing);
  const others = named.filter((other) => other !== division).map(formatDivision);
  return joinParagraphs(
    `Renamed the ${kind} ${quote(formatDivision(division))} to ${quote(to)} in ${formatCode(path)}.`,
    formatList(
      `Left unchanged, because they are in another language or version:`,
      others.map(quote),
    ),
  );
}

function expectSingleDivision(task: Renaming, named: readonly Division[]) {
  const found = filterMainDivisions(named, task.name);
  const exact = found.filter(({ name }) => name === task.name);
  const meant = exact.length > 0 ? exact : found;
  if (meant.length < 2) return meant;
  const choices = [...new Set(meant.map(formatDivision))];
  const reason = `the navigation has ${meant.length} ${task.division}s named ${quote(task.name)}`;
  throw createRefusedError(reason, { slot: task.division, choices });
}

function createUnknownDivisionError({ division, name }: Renaming, known: readonly Division[]) {
  const choices = findClosestNames(name, [...new Set(known.map(formatDivision))]);
  return createRefusedError(`the navigation has no ${division} ${quote(name)}`, {
    slot: division,
    choices,
  });
}
