import { getBaseName, isOctavoError } from "@octavo/site/core";
import type { SourceFile, SourceReader } from "../../git/index.ts";
import type { OpenedSource } from "./turn-source.ts";

/**
 * A name that no source contains at the commit that is fixed for the turn, with the location of an earlier definition.
 */
interface RemovedName extends ProductName {
  readonly source: string;
  /** The full hash of a commit that still contains the name. */
  readonly commit: string;
  /** The tag of the commit, if the commit was found by a tag. */
  readonly tag?: string;
  readonly path: string;
  readonly line: number;
  /** The part of that line that contains the name. */
  readonly words: string;
}

interface RemovedNames {
  readonly removed: readonly RemovedName[];
  /** The names of the sources' packages and programs. */
  readonly ownNames: readonly string[];
  /** The reasons why there is no result: sources that cannot be searched completely. */
  readonly unread: readonly string[];
}

/** The maximum number of a source's tags that are compared with the current commit. */
const maxTags = 20;
const maxLoggedCommits = 500;
/** The maximum number of bytes that are read from one source's earlier commits. */
const maxEarlierBytes = 512 * 1024 * 1024;
/** The maximum size of a code file. Larger files contain data. */
const maxFileBytes = 4 * 1024 * 1024;
const maxScannedBytes = 1024 * 1024;
const maxLargeFiles = 50;

const maxNames = 200;

/**
 * A collector of the names under which users know a source (its packages and programs), read from manifests during a
 * scan.
 */
interface PackageNames {
  read(path: string, text: string): void;
  listNames(): readonly string[];
}

/** A search for names that do not appear, in any spelling, in the texts that it reads. */
interface WordSearch {
  read(text: string): void;
  isMissing(name: ProductName): boolean;
}

/** The maximum number of short words that are remembered as already checked, because most of them occur often. */
const maxCheckedWords = 200_000;
/** The maximum length of a remembered word. A longer slice of a text would keep the whole text in memory. */
const maxCheckedLength = 12;
/** The maximum length of a word. Longer words are data. */
const maxWordLength = 200;

/** Text for people, which may mention removed names, as a changelog does. */
const proseFile = /\.(?:mdx?|markdown|rst|adoc|asciidoc|txt|tex|po|pot|rtf|html?)$/i;
const dataFile =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|svg|pdf|mp[34]|webm|mov|wav|ogg|woff2?|ttf|otf|eot|zip|gz|tgz|xz|bz2|zst|7z|jar|war|wasm|so|dylib|dll|exe|bin|dat|db|sqlite|csv|tsv|parquet|map|lock|snap|pack|pem|crt)$/i;
const lockFile =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|[^/]+\.min\.\w+)$/i;
/** Files that do not define the product, such as tests, examples, scripts and vendored code. */
const nonProductFile =
  /(?:^|\/)(?:\.[^/]+|tests?|__tests__|specs?|fixtures?|testdata|examples?|samples?|demos?|docs?|scripts?|tools?|bench(?:marks?)?|ci|vendor|third[_-]party|node_modules)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+$/i;

/** Characters that end a location in a citation. */
const uncitableCharacter = /[\s"'`“”]/;

/**
 * Finds the `names` that a source defined at an earlier commit and that no source contains now, in any spelling. Omits
 * a name of which a word appears anywhere in the code, because the name may still exist. Throws `cancelled`.
 */
export async function findRemovedNames(
  sources: readonly OpenedSource[],
  names: readonly ProductName[],
  signal: AbortSignal,
): Promise<RemovedNames> {
  const wordSearch = createWordSearch(names);
  const ownNames = new Set<string>();
  const unread: string[] = [];
  for (const { name, reader } of sources) {
    const packageNames = createPackageNames(name);
    const fault = await runOrExplain(() =>
      scanCurrentCommit(reader, { words: wordSearch, packageNames }, signal),
    );
    if (fault !== undefined) unread.push(`${name}: ${fault}`);
    for (const one of packageNames.listNames()) ownNames.add(one);
  }
  const result = { ownNames: [...ownNames], unread };
  if (unread.length > 0) return { ...result, removed: [] };
  const missing = new Map(
    names.filter((name) => wordSearch.isMissing(name)).map((name) => [getMapKey(name), name]),
  );
  const removed: RemovedName[] = [];
  for (const { name, reader } of sources) {
    if (typeof reader === "string") continue;
    const found = await findEarlierDefinitions({ name, reader }, missing, signal);
    for (const one of found) missing.delete(getMapKey(one));
    removed.push(...found);
  }
  return { ...result, removed };
}

function getMapKey({ kind, name }: ProductName): string {
  return `${kind} ${getNameKey(kind, name)}`;
}

interface CurrentScan {
  readonly words: WordSearch;
  readonly packageNames: PackageNames;
}

/**
 * Searches a source at its current commit. Returns the reason why the source cannot be searched completely, or
 * undefined if it can.
 */
async function scanCurrentCommit(
  reader: SourceReader | string,
  { words, packageNames }: CurrentScan,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (typeof reader === "string") return reader;
  const { files, isWhole } = await reader.listFiles(reader.at.commit, signal);
  if (!isWhole) return "it has more files than can be listed.";
  const read = (path: string, text: string): boolean => {
    packageNames.read(path, text);
    words.read(text);
    return true;
  };
  // Names may come from file paths, as routes do in some frameworks.
  words.read(files.map(({ path }) => path).join("\n"));
  const searched = files.filter(({ path }) => isSearched(path));
  const isScanned = await scanAll(reader, { commit: reader.at.commit, files: searched, read }, signal); // prettier-ignore
  return isScanned ? undefined : "it contains more text than can be searched.";
}

interface WholeScan {
  readonly commit: string;
  readonly files: readonly SourceFile[];
  readonly read: (path: string, text: string) => boolean;
}

/**
 * Scans all files, including those too large to be scanned together, up to the size above which a file is considered
 * data.
 */
async function scanAll(
  reader: SourceReader,
  { commit, files, read }: WholeScan,
  signal: AbortSignal,
): Promise<boolean> {
  const [small, large] = [
    files.filter(({ bytes }) => bytes <= maxScannedBytes),
    files.filter(({ bytes }) => bytes > maxScannedBytes && bytes <= maxFileBytes),
  ];
  if (large.length > maxLargeFiles || !(await reader.scan(small, read, signal))) return false;
  for (const { path } of large) {
    const text = await readIfText(() => reader.readText(commit, path, signal));
    if (text !== undefined) read(path, text);
  }
  return true;
}

/** Reads a text. Returns undefined if the file is not text. */
async function readIfText(read: () => Promise<string>): Promise<string | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isOctavoError(error, "invalid_input")) return undefined;
    throw error;
  }
}

interface NamedReader {
  readonly name: string;
  readonly reader: SourceReader;
}

interface EarlierCommit {
  readonly commit: string;
  readonly tag?: string;
}

/** Finds the definitions of the names, each at the first of the earlier commits that contains it. */
async function findEarlierDefinitions(
  { name: source, reader }: NamedReader,
  names: ReadonlyMap<string, ProductName>,
  signal: AbortSignal,
): Promise<readonly RemovedName[]> {
  const missing = new Map(names);
  const found: RemovedName[] = [];
  let totalBytes = 0;
  for await (const { commit, tag } of listEarlierCommits(reader, signal)) {
    if (missing.size === 0 || totalBytes > maxEarlierBytes) break;
    const files = await listChangedFiles(reader, commit, signal);
    for (const file of files) totalBytes += file.bytes;
    await reader.scan(
      files,
      (path, text) => {
        for (const { kind, name, line, words } of findDefinitions(text)) {
          const key = getMapKey({ kind, name });
          const requested = missing.get(key);
          if (requested === undefined) continue;
          missing.delete(key);
          found.push({ ...requested, source, commit, ...(tag !== undefined && { tag }), path, line, words }); // prettier-ignore
        }
        return missing.size > 0;
      },
      signal,
    );
  }
  return found;
}

/** Yields the newest tags in the history of the current commit, then commits at increasing distances. */
async function* listEarlierCommits(
  reader: SourceReader,
  signal: AbortSignal,
): AsyncGenerator<EarlierCommit> {
  const visited = new Set([reader.at.commit]);
  for (const tag of (await reader.listTags(signal)).slice(0, maxTags)) {
    const commit = await ignoreMissing(() => reader.resolveRef(`refs/tags/${tag}`));
    if (commit === undefined || visited.has(commit.commit)) continue;
    visited.add(commit.commit);
    // A later release may contain names that the current commit does not have yet.
    const laterCommits = { from: reader.at.commit, to: commit.commit, limit: 1 };
    if ((await reader.listCommits(laterCommits, signal)).length === 0)
      yield { commit: commit.commit, tag };
  }
  const log = await reader.listCommits({ to: reader.at.commit, limit: maxLoggedCommits }, signal);
  for (let distance = 1; distance < 2 * log.length; distance *= 2) {
    const commit = log[Math.min(distance, log.length - 1)]?.commit;
    if (commit === undefined || visited.has(commit)) continue;
    visited.add(commit);
    yield { commit };
  }
}

/** Returns the code files of an earlier commit that have changed since. */
async function listChangedFiles(
  reader: SourceReader,
  commit: string,
  signal: AbortSignal,
): Promise<readonly SourceFile[]> {
  const range = { from: commit, to: reader.at.commit };
  const listing = await ignoreMissing(() => reader.listFiles(commit, signal));
  if (listing === undefined) return [];
  const { files, isWhole } = await reader.listChanges(range, signal);
  const changed = new Set(files.map(({ path, from = path }) => from));
  return listing.files.filter(({ path }) => isDefining(path) && (!isWhole || changed.has(path)));
}

/**
 * Runs `work`. Returns undefined if an earlier commit does not contain the file, or if a tag does not name a commit.
 */
async function ignoreMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isOctavoError(error, "not_found") || isOctavoError(error, "ref_not_found")) {
      return undefined;
    }
    throw error;
  }
}

async function runOrExplain(work: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isOctavoError(error) || error.code === "cancelled") throw error;
    return error.message;
  }
}

function createPackageNames(source: string): PackageNames {
  const names = new Set([getBaseName(source)]);
  return {
    read(path, text) {
      const program = /(?:^|\/)cmd\/([\w.-]+)\/main\.go$/.exec(path)?.[1];
      for (const name of [
        ...(program === undefined ? [] : [program]),
        ...readPackageNames(path, text),
      ]) {
        if (names.size < maxNames && /^[\w@][\w@./-]{0,100}$/.test(name)) names.add(name);
      }
    },
    listNames: () => [...names],
  };
}

function readPackageNames(path: string, text: string): readonly string[] {
  const file = getBaseName(path);
  if (file === "package.json") return readNpmNames(text);
  if (file === "go.mod") {
    const [, module = ""] = /^module\s+(\S+)/m.exec(text) ?? [];
    const name = module.replace(/\/v\d+$/, "");
    return [name, getBaseName(name)];
  }
  if (file !== "Cargo.toml" && file !== "pyproject.toml") return [];
  const [, scripts = ""] = /^\[project\.scripts\]\n((?:(?!\[).*\n?)*)/m.exec(text) ?? [];
  return [
    ...[...text.matchAll(/^name\s*=\s*["']([^"'\n]+)["']/gm)].map(([, name = ""]) => name),
    ...[...scripts.matchAll(/^["']?([\w.-]+)["']?\s*=/gm)].map(([, name = ""]) => name),
  ];
}

function readNpmNames(text: string): readonly string[] {
  try {
    const { name, bin } = JSON.parse(text) as { readonly name?: unknown; readonly bin?: unknown };
    const programs = typeof bin === "object" && bin !== null ? Object.keys(bin) : [];
    return typeof name === "string" ? [name, ...programs] : programs;
  } catch {
    return [];
  }
}

function createWordSearch(names: readonly ProductName[]): WordSearch {
  const requiredKeys = new Set(names.flatMap(listRequiredKeys).flat());
  const presentKeys = new Set<string>();
  const checkedWords = new Set<string>();
  return {
    read(text) {
      for (const [word] of text.matchAll(wordPattern)) {
        if (word.length > maxWordLength || checkedWords.has(word)) continue;
        if (checkedWords.size >= maxCheckedWords) checkedWords.clear();
        if (word.length <= maxCheckedLength) checkedWords.add(word);
        const key = normalizeName(word);
        if (requiredKeys.has(key)) presentKeys.add(key);
      }
    },
    isMissing: (name) =>
      listRequiredKeys(name).some((keys) => keys.every((key) => !presentKeys.has(key))),
  };
}

/** Reports whether a name in the file may still be available to users. */
function isSearched(path: string): boolean {
  return !proseFile.test(path) && !dataFile.test(path) && !lockFile.test(path);
}

/** Reports whether the file can define names that the product offers, and can be cited. */
function isDefining(path: string): boolean {
  return isSearched(path) && !nonProductFile.test(path) && !uncitableCharacter.test(path);
}

interface Definition {
  readonly kind: ProductNameKind;
  /** The name in the form that `getNameKey` returns. */
  readonly name: string;
  /** The line number, counted from 1. */
  readonly line: number;
  /** The part of that line that contains the name. */
  readonly words: string;
}

/** The kinds of product names that pages mention in code. */
export const productNameKinds = ["flag", "setting", "endpoint", "export"] as const;
type ProductNameKind = (typeof productNameKinds)[number];

interface ProductName {
  readonly kind: ProductNameKind;
  /** The name, for example `--max-depth`, `ENGINE_TOKEN`, `/v1/lamps/{id}` or `createLamp`. */
  readonly name: string;
}

/** Names in code, including hyphenated names. Digits may follow, as in `v2`. */
const wordPattern = /[A-Za-z_$][\w$]*(?:-[A-Za-z\d_][\w$]*)*/g;

/** Prefixes that programs add to the name of an option. */
const optionPrefix = /^(?:no|enable|disable|with|without)-(?=.)/;

/** Returns a key that is the same for a queried name and its definition. */
function getNameKey(kind: ProductNameKind, name: string): string {
  if (kind === "endpoint") return normalizeRoute(name);
  return kind === "flag" ? name.replace(/^-+/, "") : name;
}

/** A call that defines an option in the libraries of several languages. The strings after it are the option's names. */
const optionCall =
  /(?:\b(?:flags?|pflag|fs|Flags\(\)|PersistentFlags\(\))\.(?:String|Bool|U?[iI]nt\d*|Duration|Float\d*|Count)\w*|(?:^|[^\w])(?:add_?|required_?)?(?:option|flag|argument|switch)|\bArg::(?:new|with_name))\s*\(/i;
const comparedFlag = /(?:\bcase|===?)\s*["'](--[a-z][\w-]*)["']/g;
const stringLiteral = /(["'`])((?:(?!\1)[^\\\n]){1,200})\1/g;
const flagInText = /(?<![\w-])--([a-z][\w-]*)/gi;
const environmentName = /(?<![\w$])[A-Z][A-Z\d]*(?:_[A-Z\d]+)+(?![\w$])/g;
const routeCall =
  /\b(?:get|post|put|patch|delete|head|options|all|any|route|use|handle|handlefunc|path|re_path|api_route|websocket|map(?:get|post|put|patch|delete)|url|endpoint)\s*[(:=]\s*["'`](?:[A-Z]{3,7} )?(\/[^"'`\s]{1,200})["'`]/gi;
const describedRoute = /^\s*["']?(\/[^"'\s:]{1,200})["']?:\s*(?:\{\s*)?$/;
const exportedNames: readonly RegExp[] = [
  /^\s*export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|const|let|var|class|interface|type|enum)\s+([\w$]+)/,
  /^(?:async\s+)?(?:def|class)\s+([A-Za-z]\w*)/,
  /^(?:func|type|var|const)\s+([A-Z]\w*)/,
  /^\s*pub\s+(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|type|const|static)\s+(\w+)/,
];

/** Yields the names that a code file exposes to its users, if single lines reveal them. Takes linear time. */
function* findDefinitions(text: string): Generator<Definition> {
  const lines = text.split("\n").map((line) => line.slice(0, 2_000));
  for (const [index, line] of lines.entries()) {
    const position = { line: index + 1 };
    for (const found of findLineDefinitions(line, lines[index - 1] ?? ""))
      yield { ...position, ...found };
  }
}

type LineDefinition = Omit<Definition, "line">;

function* findLineDefinitions(line: string, previousLine: string): Generator<LineDefinition> {
  yield* findLineOptions(line, previousLine);
  for (const [words] of line.matchAll(environmentName)) {
    yield { kind: "setting", name: words, words };
  }
  const route = describedRoute.exec(line)?.[1];
  const routes = [...line.matchAll(routeCall)].map(([, path = ""]) => path);
  for (const words of route === undefined ? routes : [...routes, route]) {
    yield { kind: "endpoint", name: normalizeRoute(words), words };
  }
  for (const pattern of exportedNames) {
    const words = pattern.exec(line)?.[1];
    if (words !== undefined) yield { kind: "export", name: words, words };
  }
}

function* findLineOptions(line: string, previousLine: string): Generator<LineDefinition> {
  for (const [, words = ""] of line.matchAll(comparedFlag)) {
    yield { kind: "flag", name: words.replace(/^--/, ""), words };
  }
  const call = optionCall.exec(line);
  const continuesCall = optionCall.test(previousLine) && previousLine.trimEnd().endsWith("(");
  if (call === null && !continuesCall) return;
  const texts = [
    ...line.slice(call === null ? 0 : call.index + call[0].length).matchAll(stringLiteral),
  ];
  for (const [position, [, , text = ""]] of texts.entries()) {
    for (const [words, name = ""] of text.matchAll(flagInText)) yield { kind: "flag", name, words };
    // In `flag("depth", 5)`, which has no hyphens, only the first string is the name.
    if (position === 0 && /^[a-z][a-z\d]*(?:[-_][a-z\d]+)*$/i.test(text)) {
      yield { kind: "flag", name: text, words: text };
    }
  }
}

/**
 * Returns a key that all spellings of a name share: `--max-depth`, `maxDepth`, `MAX_DEPTH` and `max_depth` give
 * `max-depth`.
 */
function normalizeName(word: string): string {
  return word
    .replaceAll(/([a-z\d])([A-Z])|([A-Z]+)(?=[A-Z][a-z])/g, "$1$3-$2")
    .replaceAll(/[^A-Za-z\d]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .toLowerCase();
}

/**
 * Returns lists of keys. A source that has the name contains at least one key from each list, however it builds the
 * name. For example, a setting may be a field with a prefix, and an endpoint may be mounted from parts. The result is
 * empty if it cannot be determined whether the source has the name.
 */
function listRequiredKeys({ kind, name }: ProductName): readonly (readonly string[])[] {
  if (kind === "endpoint")
    return listStaticSegments(name).map((segment) => [normalizeName(segment)]);
  const key = normalizeName(name);
  if (key === "") return [];
  if (kind === "flag") return [[key, key.replace(optionPrefix, "")]];
  if (kind === "export") return [[key]];
  const parts = key.split("-");
  return [parts.map((_, index) => parts.slice(index).join("-"))];
}

/**
 * Returns the static segments of a path. Versions are omitted, because they are often added where the path is mounted.
 */
function listStaticSegments(path: string): string[] {
  const segments = path.split("/").filter((segment) => /^[A-Za-z][\w-]*$/.test(segment));
  return segments.filter((segment) => !/^(?:api|v\d+)$/i.test(segment));
}

/**
 * Normalizes the parameter syntax of all frameworks: `/lamps/:id`, `/lamps/<int:id>` and `/lamps/{id}` give
 * `/lamps/{}`.
 */
function normalizeRoute(path: string): string {
  const segments = path.replace(/[?#].*$/s, "").split("/");
  const normalizedSegments = segments.map((segment) =>
    /^[:{<$[*]/.test(segment) ? "{}" : segment,
  );
  return normalizedSegments.join("/").replace(/(?<=.)\/$/, "");
}
