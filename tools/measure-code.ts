/**
 * `npm run measure` prints figures about the sources of all packages, without tests: the sizes of files and functions,
 * the number of uses of each export, and the extent to which names and comments follow the rules of CONTRIBUTING.
 * `npm run measure -- <figure>` lists the cases that a figure counts, and `npm run measure -- rooms` prints the sizes
 * and shares for each room.
 */
import { dirname, join, resolve } from "node:path";
import {
  beginsWithVerb,
  findBritishSpellings,
  findCommentProblem,
  findOtherHomes,
} from "./lint/wording.ts";
import { listNodes, packages, readSources, shorten } from "./sources.ts";
import type { SourceText } from "./sources.ts";

interface Export {
  readonly name: string;
  readonly kind: "function" | "type" | "value";
  readonly path: string;
}

/** One line of the table. `of` is the total of which `found` is a share, if any. */
interface Figure {
  readonly name: string;
  readonly found: readonly string[] | number;
  readonly of?: number;
}

const declaration =
  /^export (?:async )?(function|const|let|class|interface|type)\*? ([\w$]+)(?:[^=\n]*= (?:async )?(?:\(|<)?)?/gm;

function readExports({ path, text }: SourceText): Export[] {
  return [...text.matchAll(declaration)].map(([, keyword = "", name = ""]) => ({
    name,
    path,
    kind: kindOf(keyword),
  }));
}

function kindOf(keyword: string): Export["kind"] {
  if (keyword === "function") return "function";
  return keyword === "interface" || keyword === "type" ? "type" : "value";
}

/**
 * Files that extend the product by being listed in one other file, as CONTRIBUTING describes: routes, pages, commands,
 * migrations, code hosts, components, languages of samples, kinds of diagrams, tools of the agent, and the entry
 * points of bundled dependencies.
 */
const extensionPoint =
  /\/(?:routes|cli\/(?:site|service|operator)|migrations|codehost\/\w+|components|sample\/language|agent\/tools)\/[^/]+$|\/diagram\/read-|\.bundled\.ts$/;

const statement =
  /^(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*(?:\s+as\s+\w+)?|\w+)\s+from\s+"([^"]+)";|\bimport\("([^"]+)"\)/gm;

interface Import {
  readonly from: string;
  readonly to: string;
  /** The imported names; `*` if the whole module is imported. */
  readonly names: readonly string[];
}

function readImports({ path, text }: SourceText): Import[] {
  return [...text.matchAll(statement)].flatMap(([, clause, declared, dynamic]) => {
    const to = resolveImport(path, declared ?? dynamic ?? "");
    if (to === undefined) return [];
    return [{ from: path, to, names: clause?.startsWith("{") ? readNames(clause) : ["*"] }];
  });
}

function readNames(clause: string): string[] {
  return clause
    .replaceAll(/[{}]/g, "")
    .split(",")
    .map((name) =>
      name
        .trim()
        .replace(/^type\s+/, "")
        .replace(/\s+as\s+.*/, ""),
    )
    .filter((name) => name !== "");
}

function resolveImport(path: string, specifier: string): string | undefined {
  const door = /^@octavo\/site(?:\/(.+))?$/.exec(specifier);
  if (door) return join(packages, "site/src", door[1] ?? "", "index.ts");
  return specifier.startsWith(".") ? resolve(dirname(path), specifier) : undefined;
}

function isDoor(path: string): boolean {
  return path.endsWith("/index.ts");
}

/** Returns the files that use each export, directly or through doors. */
function findUsers(
  exports: readonly Export[],
  imports: readonly Import[],
): Map<Export, ReadonlySet<string>> {
  const byTarget = Map.groupBy(imports, ({ to }) => to);
  const usersOf = (path: string, name: string, seen: ReadonlySet<string>): string[] =>
    (byTarget.get(path) ?? []).flatMap(({ from, names }) => {
      if (!names.includes(name) && !names.includes("*")) return [];
      if (!isDoor(from) || seen.has(from)) return [from];
      return usersOf(from, name, new Set([...seen, from]));
    });
  return new Map(
    exports.map((one) => [one, new Set(usersOf(one.path, one.name, new Set()))] as const),
  );
}

/** Returns the lengths of all functions and methods in lines. */
function measureFunctions(source: SourceText): number[] {
  const isFunction = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
  return listNodes(source)
    .filter(({ type }) => isFunction.test(type))
    .map(({ start, end }) => source.text.slice(start, end).split("\n").length);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

/** Formats matches as lines with the path, the number of the line and the line's beginning. */
function listMatches(
  sources: readonly SourceText[],
  find: (source: SourceText) => readonly { readonly 0: string; readonly index: number }[],
): string[] {
  return sources.flatMap((source) =>
    find(source).map(({ 0: match, index }) => {
      const line = source.text.slice(0, index).split("\n").length;
      return `${shorten(source.path)}:${line} ${match.trim().split("\n")[0]}`;
    }),
  );
}

function findRepeatedNames(exports: readonly Export[]): string[] {
  return exports.flatMap(({ name, path }) => {
    const others = findOtherHomes(path, name);
    return others.length === 0 ? [] : [`${shorten(path)} ${name}: ${others.join(", ")}`];
  });
}

function describe({ name, path }: Export): string {
  return `${shorten(path)} ${name}`;
}

/** Describes an export with the file that uses it. */
function describeUse(one: Export): string {
  return `${describe(one)}: ${[...(users.get(one) ?? [])].map(shorten).join(", ")}`;
}

const allSources = readSources();
const allExports = allSources.flatMap(readExports);
const imports = allSources.flatMap(readImports);
const importers = Map.groupBy(imports, ({ to }) => to);
const exportsByHome = Map.groupBy(allExports, ({ path }) => path);
const users = findUsers(allExports, imports);

/** Measures the sources that `isMeasured` selects; users of their exports are counted in all sources. */
function measure(isMeasured: (path: string) => boolean = () => true): Figure[] {
  const sources = allSources.filter(({ path }) => isMeasured(path));
  const exports = allExports.filter(({ path }) => isMeasured(path));
  const functions = exports.filter(({ kind }) => kind === "function");
  const single = sources.filter(({ path }) => {
    const direct = (importers.get(path) ?? []).map(({ from }) => from);
    const own = (exportsByHome.get(path) ?? []).flatMap((one) => [...(users.get(one) ?? [])]);
    return new Set([...direct.filter((from) => !isDoor(from)), ...own]).size === 1;
  });
  return [
    { name: "files", found: sources.length },
    {
      name: "lines",
      found: sources.reduce((sum, { text }) => sum + text.split("\n").length - 1, 0),
    },
    { name: "median function", found: median(sources.flatMap(measureFunctions)) },
    {
      name: "files with one importer",
      found: single.map(({ path }) => shorten(path)),
      of: sources.length,
    },
    {
      name: "of which extension points",
      found: single.map(({ path }) => shorten(path)).filter((path) => extensionPoint.test(path)),
      of: sources.length,
    },
    {
      name: "exports used once",
      found: exports.filter((one) => users.get(one)?.size === 1).map(describeUse),
      of: exports.length,
    },
    {
      name: "functions without a verb",
      found: functions.filter(({ name }) => !beginsWithVerb(name)).map(describe),
      of: functions.length,
    },
    { name: "names with two meanings", found: findRepeatedNames(exports) },
    {
      name: "types called Place",
      found: exports
        .filter(({ kind, name }) => kind === "type" && /Places?$/.test(name))
        .map(describe),
    },
    {
      name: "doc comments with What, Which, Of or That",
      found: listMatches(sources, ({ text }) =>
        [...text.matchAll(/\/\*(\*[^]*?)\*\//g)].filter(
          ([, comment = ""]) => findCommentProblem(comment) !== undefined,
        ),
      ),
    },
    {
      name: "British spellings",
      found: listMatches(sources, ({ text }) =>
        findBritishSpellings(text).map(({ word, index }) => ({ 0: word, index })),
      ),
    },
  ];
}

function count({ found }: Figure): number {
  return typeof found === "number" ? found : found.length;
}

function formatCount(figure: Figure): string {
  if (figure.of === undefined) return `${count(figure)}`;
  return `${count(figure)} (${Math.round((100 * count(figure)) / figure.of)} %)`;
}

/** Yields a row for each room, with the sizes of its files and functions and the number of uses of its exports. */
function* formatRooms(): Generator<string> {
  const columns = [
    "files",
    "lines",
    "median function",
    "files with one importer",
    "exports used once",
  ];
  const row = (title: string, cells: readonly string[]): string =>
    [
      title.padEnd(20),
      ...cells.map((cell, index) => cell.padStart((columns[index] ?? "").length)),
    ].join("  ");
  yield row("", columns);
  const byRoom = Map.groupBy(allSources, ({ path }) =>
    shorten(path).split("/").slice(0, 3).join("/").replace("/src/", "/"),
  );
  for (const [room, sources] of byRoom) {
    const paths = new Set(sources.map(({ path }) => path));
    const figures = measure((path) => paths.has(path));
    yield row(
      room,
      columns.map((column) => formatCount(figures.find(({ name }) => name === column) as Figure)),
    );
  }
}

const wanted = process.argv.slice(2).join(" ");
const figures = measure();
const listed = figures.find(({ name }) => name === wanted);

/** Yields the lines of the figure or table that was asked for. */
function* formatAnswer(): Generator<string> {
  if (wanted === "rooms") yield* formatRooms();
  else if (listed && typeof listed.found !== "number") yield* listed.found;
  else for (const figure of figures) yield `${figure.name.padEnd(40)} ${formatCount(figure)}`;
}

// In one write, which `head` can cut off.
process.stdout.write(`${[...formatAnswer()].join("\n")}\n`);
