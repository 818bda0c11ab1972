import { posix } from "node:path";
import {
  cleanRelativePath,
  compareCodeUnits,
  isOctavoError,
  limits,
  OctavoError,
  resolveRealPath,
} from "../../core/index.ts";
import type { Problem, ProblemLog, ProblemLocation } from "../../core/index.ts";
import { isRemote, parseDescriptionFile, readDescription } from "../../openapi/index.ts";
import type { ApiDescription, DescriptionFile, LinkedFiles } from "../../openapi/index.ts";
import { getRelativePath } from "../../text/index.ts";
import { stripBasePaths } from "../../site/index.ts";
import { readTextInside } from "../read-text.ts";
import type { SiteSettings } from "../site-settings.ts";
import { cleanLocation, type ApiSource } from "./api-source.ts";
import { isLocation, OperationIndex } from "./operation-index.ts";

/** A description that the site names or contains. */
export interface KnownDescription {
  /** The path relative to the site's folder, or the address. */
  readonly location: string;
  /** The file to which problems and pages refer: the description, or the file that names a remote description. */
  readonly file: string;
  /** The description and its index; undefined if the description could not be read. */
  readonly found?: { readonly description: ApiDescription; readonly index: OperationIndex };
  /** Whether the file does not exist. Any other reason for not reading it has been reported. */
  readonly isMissing?: boolean;
}

/** A description as an author names it. */
export interface DescriptionReference {
  /** A path, a file name with or without its extension, or an address. */
  readonly written: string;
  /** The position of the reference. Relative paths are resolved from its file. */
  readonly position: ProblemLocation;
  /** Reports whether a description has the referenced part. Omitted if the reference names the whole description. */
  readonly has?: (known: ReadDescription) => boolean;
  /**
   * Whether pages are generated from the description. If so, `load` reports a missing description; for
   * other references, the part that cannot be shown is reported.
   */
  readonly isSource?: boolean;
}

/** The descriptions that a name may refer to, resolved only as far as needed. */
interface NameMeanings {
  /** Locations of descriptions, most likely first. */
  readonly found: string[];
  /** Paths of files that have not been examined yet because they were not needed, in order. */
  readonly candidates: string[];
  /** The location whose problem is reported if no description is found. */
  readonly fallback?: string | undefined;
}

type ReadDescription = NonNullable<KnownDescription["found"]>;

interface DescriptionLoadOptions {
  readonly root: string;
  /** The site's files other than pages, sorted. They include the descriptions. */
  readonly files: readonly string[];
  /** See `Site.basePaths`. */
  readonly basePaths: readonly string[];
  readonly problems: ProblemLog;
  /** The value of `api.params.post` in the configuration. */
  readonly shownKeys: readonly string[];
  readonly settings: RemoteApiSettings;
}

/** Matches the key `openapi` or `swagger` with a version. In `docs.json`, the value of the key is a path instead. */
const openApiPattern =
  /\b(?:openapi["']?\s{0,20}:\s{0,20}["']?3\.\d|swagger["']?\s{0,20}:\s{0,20}["']?2\.0)/;

/** Matches the key `asyncapi` with a version. Files with this key are not searched for operations. */
const asyncApiPattern = /\basyncapi["']?\s{0,20}:\s{0,20}["']?[23]\.\d/;

/** Loads the descriptions of one site, each once. */
export class Descriptions {
  readonly #options: DescriptionLoadOptions;
  readonly #byLocation = new Map<string, KnownDescription>();
  readonly #names: DescriptionNames;
  /** The meanings of names, by the folder of the referring file and the name. */
  readonly #meanings = new Map<string, NameMeanings>();
  /** Whether each candidate file is a description. */
  readonly #isDescriptionByFile = new Map<string, boolean>();
  readonly #readLocation: ReadLocation;
  readonly #linker: FileLinker;
  readonly #report = (problem: Problem) => this.#options.problems.add(problem);
  /** The most recently peeked file; it is usually the next file to be read. */
  #peeked: { readonly file: string; readonly text: string } | undefined;
  #bytesLeft = limits.allDescriptionBytes;
  /** Missing descriptions that have not been reported yet. Each is reported once, where the configuration names it. */
  readonly #unreported = new Set<string>();
  /** Whether it has been reported that the site has too many descriptions. */
  #isLimitReported = false;

  constructor(options: DescriptionLoadOptions) {
    const { root, settings } = options;
    this.#options = options;
    this.#names = new DescriptionNames(options.files, options.basePaths);
    this.#readLocation = createLocationReader(root, settings);
    this.#linker = new FileLinker({
      read: this.#readLocation,
      report: this.#report,
      take: (bytes) => this.#take(bytes),
    });
  }

  /** Returns the loaded descriptions in the search order of the format, which is by file name. */
  get all(): readonly KnownDescription[] {
    const locations = [...this.#byLocation.keys()].toSorted();
    return locations.flatMap((location) => this.#byLocation.get(location) ?? []);
  }

  /**
   * Returns the loaded descriptions that a name in `file` may refer to, most likely first. Includes a description that
   * could not be read. The result is empty if the string does not name a description.
   */
  findByName(written: string, file: string): readonly KnownDescription[] {
    const locations = this.#meanings.get(getMeaningKey(written, file))?.found ?? [];
    return locations.flatMap((location) => this.#byLocation.get(location) ?? []);
  }

  /** Returns the loaded descriptions that a navigation element names. */
  findBySource(source: ApiSource | undefined): readonly KnownDescription[] {
    return (source?.names ?? []).flatMap((name) => this.findByName(name, source?.file ?? ""));
  }

  /**
   * Loads the candidates of a reference until one of them has the part that the reference names. If a name that looks
   * like a file or an address matches no description, reports this once.
   */
  async load({ written, position, has, isSource }: DescriptionReference): Promise<void> {
    const key = getMeaningKey(written, position.file);
    let meanings = this.#meanings.get(key);
    if (!meanings) {
      meanings = await this.#startMeanings(written, position.file);
      this.#meanings.set(key, meanings);
    }
    for (let at = 0; ; at++) {
      const location = meanings.found[at] ?? (await this.#findNext(meanings));
      if (location === undefined) return;
      await this.#loadLocation(location, position);
      if (isSource === true && this.#unreported.delete(location)) {
        const message = `The API description ${JSON.stringify(location)} does not exist.`;
        this.#options.problems.fail("description_missing", message, position);
      }
      const found = this.#byLocation.get(location)?.found;
      if (found && (!has || has(found))) return;
    }
  }

  async #startMeanings(written: string, file: string): Promise<NameMeanings> {
    const location = cleanLocation(written);
    if (location !== undefined && isRemote(location)) return { found: [location], candidates: [] };
    const { paths, others } = this.#names.find(written, file);
    const existingPaths: string[] = [];
    for (const path of paths) {
      // Files that are excluded from the site are found only by their full path.
      const doesExist =
        this.#names.has(path) || (isLocation(written) && (await this.#exists(path)));
      if (doesExist) existingPaths.push(path);
    }
    const candidates = [...new Set([...existingPaths, ...others])];
    const [first] = existingPaths;
    // If only one file has this name, the file is read, and a problem is reported if it is not a description.
    if (first !== undefined && candidates.length === 1 && isLocation(written)) {
      return { found: [first], candidates: [] };
    }
    const missingPath = location ?? paths[0];
    return {
      found: [],
      candidates,
      fallback: isLocation(written) ? (first ?? missingPath) : undefined,
    };
  }

  /** Adds the next description that a name may refer to. */
  async #findNext(meanings: NameMeanings): Promise<string | undefined> {
    const { found, candidates } = meanings;
    for (let next = candidates.shift(); next !== undefined; next = candidates.shift()) {
      if (!(await this.#isDescription(next))) continue;
      found.push(next);
      return next;
    }
    if (found.length > 0 || meanings.fallback === undefined) return undefined;
    found.push(meanings.fallback);
    return meanings.fallback;
  }

  async #exists(path: string): Promise<boolean> {
    try {
      await resolveRealPath(this.#options.root, path);
      return true;
    } catch (error) {
      // A link to a target outside the folder counts as an existing file; the problem is reported when the file is
      // read.
      return !isOctavoError(error, "not_found");
    }
  }

  async #isDescription(file: string): Promise<boolean> {
    let isDescription = this.#isDescriptionByFile.get(file);
    if (isDescription === undefined) {
      const text = await this.#peek(file);
      isDescription =
        text !== undefined && (openApiPattern.test(text) || asyncApiPattern.test(text));
      this.#isDescriptionByFile.set(file, isDescription);
    }
    return isDescription;
  }

  /** Returns the text of a file, or undefined if it cannot be read. Does not report a problem. */
  async #peek(file: string): Promise<string | undefined> {
    try {
      const text = await readTextInside(this.#options.root, file, limits.descriptionBytes);
      this.#peeked = { file, text };
      return text;
    } catch (error) {
      if (!(error instanceof OctavoError)) throw error;
      return undefined;
    }
  }

  async #loadLocation(location: string, position: ProblemLocation): Promise<void> {
    if (this.#byLocation.has(location)) return;
    const file = isRemote(location) ? position.file : location;
    const known = { location, file };
    this.#byLocation.set(location, known);
    const { shownKeys } = this.#options;
    const main = this.#linker.findRead(location) ?? (await this.#parse(known, position));
    if (!main) return;
    const report = this.#report;
    const linked = await this.#linker.readLinkedFiles(main);
    const description = readDescription(main, { report, linked, shownKeys });
    if (!description) return;
    const index = new OperationIndex(description.operations);
    this.#byLocation.set(location, { ...known, found: { description, index } });
  }

  /** Loads a file if it is a description; silently ignores other files. */
  async discover(file: string): Promise<void> {
    if (this.#byLocation.has(file) || this.#byLocation.size >= limits.descriptions) return;
    const text = await this.#peek(file);
    if (text !== undefined && openApiPattern.test(text)) await this.#loadLocation(file, { file });
  }

  async #parse({ location, file }: KnownDescription, position: ProblemLocation) {
    const text = await this.#read(location, position);
    const source = { file, name: location };
    return text === undefined ? undefined : parseDescriptionFile({ ...source, text }, this.#report);
  }

  async #read(location: string, position: ProblemLocation): Promise<string | undefined> {
    const { problems } = this.#options;
    const name = JSON.stringify(location);
    if (this.#byLocation.size > limits.descriptions) {
      const message = `The site names more than ${limits.descriptions} API descriptions; ${name} and all later ones are ignored.`;
      if (!this.#isLimitReported) problems.fail("description_limit", message, position);
      this.#isLimitReported = true;
      return undefined;
    }
    const peeked = this.#peeked?.file === location ? this.#peeked : undefined;
    this.#peeked = undefined;
    const outcome = peeked ?? (await this.#readLocation(location));
    if ("failure" in outcome) {
      this.#reportFailure(location, outcome, position);
      return undefined;
    }
    if (this.#take(outcome.text.length)) return outcome.text;
    const message = `The API descriptions of this site exceed ${limits.allDescriptionBytes} bytes in total; ${name} is ignored.`;
    problems.fail("description_limit", message, position);
    return undefined;
  }

  /** Deducts bytes from the budget of all descriptions; returns false if the budget is exhausted. */
  #take(bytes: number): boolean {
    this.#bytesLeft -= bytes;
    return this.#bytesLeft >= 0;
  }

  #reportFailure(
    location: string,
    { failure, reason }: Exclude<LocationText, { text: string }>,
    position: ProblemLocation,
  ): void {
    const { problems } = this.#options;
    if (failure === "notFetched") {
      const message = `The API description at ${location} ${reason}; its pages show only its address.`;
      problems.warn("description_not_fetched", message, position);
      return;
    }
    if (failure === "missing") {
      this.#byLocation.set(location, { location, file: location, isMissing: true });
      this.#unreported.add(location);
      return;
    }
    const message = `The API description ${JSON.stringify(location)} ${reason}.`;
    problems.fail("description_invalid", message, position);
  }
}

function getMeaningKey(written: string, file: string): string {
  return `${posix.dirname(file)}\0${written}`;
}

const extensions = [".json", ".yaml", ".yml"];

/** Finds the files that the name of a description may refer to. */
class DescriptionNames {
  readonly #files: ReadonlySet<string>;
  readonly #basePaths: readonly string[];
  #byName: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(files: readonly string[], basePaths: readonly string[]) {
    this.#files = new Set(files.filter(isLocation));
    this.#basePaths = basePaths;
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /**
   * Returns the paths to which a name resolves from the root and from the folder of the referring file, whether or not
   * they exist. Also returns all files with that name: first the files whose paths end with the whole name, then the
   * other files. In both groups, the nearest files come first.
   */
  find(
    written: string,
    file: string,
  ): { readonly paths: readonly string[]; readonly others: readonly string[] } {
    const name = written.trim();
    if (/^[a-z][a-z\d+.-]*:/i.test(name)) return { paths: [], others: [] };
    const folder = posix.dirname(file);
    const fromRoot = cleanRelativePath(name);
    const fromFile = name.startsWith("/") ? undefined : cleanRelativePath(`${folder}/${name}`);
    const inRoot =
      fromRoot === undefined ? [] : [fromRoot, ...stripBasePaths(fromRoot, this.#basePaths)];
    // `./` and `../` mark a relative path.
    const plain = name.startsWith(".") ? [fromFile, ...inRoot] : [...inRoot, fromFile];
    const endings = isLocation(name) ? [""] : extensions;
    const paths = plain.flatMap((path) =>
      path === undefined || path === "" ? [] : endings.map((ending) => path + ending),
    );
    return { paths: [...new Set(paths)], others: this.#listSimilar(name, folder) };
  }

  #listSimilar(name: string, folder: string): readonly string[] {
    this.#byName ??= indexNames([...this.#files]);
    const sameNamed = this.#byName.get(posix.basename(name)) ?? [];
    if (sameNamed.length < 2) return sameNamed;
    const pathEnd = `/${name.replace(/^(?:\.{0,2}\/)+/, "")}`;
    const ranks = sameNamed.map((path) => {
      const isInSameFolders = ["", ...extensions].some((one) => `/${path}`.endsWith(pathEnd + one));
      return { path, rank: (isInSameFolders ? 0 : maxDistance) + measureDistance(folder, path) };
    });
    const ranked = ranks.toSorted((a, b) => a.rank - b.rank || compareCodeUnits(a.path, b.path));
    return ranked.slice(0, limits.descriptions).map(({ path }) => path);
  }
}

/** A value greater than the distance between any two paths of a site. */
const maxDistance = 10_000;

/** Returns the number of steps up and down the folder tree from a folder to a file. */
function measureDistance(folder: string, file: string): number {
  return getRelativePath(folder === "." ? "" : folder, file).split("/").length;
}

/** Groups files by their names, with and without the extension. */
function indexNames(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const file of files) {
    const name = posix.basename(file);
    for (const key of [name, name.replace(/\.(?:json|ya?ml)$/i, "")]) {
      const group = byName.get(key);
      if (group) group.push(file);
      else byName.set(key, [file]);
    }
  }
  return byName;
}

interface LinkedFileOptions {
  readonly read: ReadLocation;
  readonly report: (problem: Problem) => void;
  /** Deducts bytes from the budget of the site's descriptions; returns false if the budget is exhausted. */
  readonly take: (bytes: number) => boolean;
}

/** Finds the files that descriptions refer to, and reads each file once per site. */
class FileLinker {
  readonly #options: LinkedFileOptions;
  readonly #files = new Map<string, DescriptionFile | string>();

  constructor(options: LinkedFileOptions) {
    this.#options = options;
  }

  /** Returns a file that was already read. */
  findRead(name: string): DescriptionFile | undefined {
    const file = this.#files.get(name);
    return typeof file === "string" ? undefined : file;
  }

  /** Reads all files that `main` refers to, directly or indirectly. Rejects only if the signal is aborted. */
  async readLinkedFiles(main: DescriptionFile): Promise<LinkedFiles> {
    this.#files.set(main.name, main);
    const linked = new Map<string, DescriptionFile | string>();
    const names = new Set(main.linked);
    let weight = main.weight;
    // The loop also visits names that are added while it runs.
    for (const name of names) {
      if (name === main.name) continue;
      const file =
        linked.size < limits.linkedFiles ? await this.#readOnce(name, main) : tooManyFiles;
      if (typeof file !== "string") weight += file.weight;
      const isTooLarge = weight > limits.descriptionWeight;
      const found = isTooLarge ? "but the files of this description are too large in total" : file;
      linked.set(name, found);
      if (typeof found === "string") continue;
      for (const next of found.linked) names.add(next);
    }
    return linked;
  }

  async #readOnce(name: string, main: DescriptionFile): Promise<DescriptionFile | string> {
    const file = this.#files.get(name) ?? (await this.#read(name, main));
    this.#files.set(name, file);
    if (typeof file === "string" || this.#options.take(file.bytes)) return file;
    return "but the descriptions of this site are too large in total";
  }

  async #read(name: string, main: DescriptionFile): Promise<DescriptionFile | string> {
    const { read, report } = this.#options;
    const outcome = await read(name);
    if ("reason" in outcome) return `which ${outcome.reason}`;
    const file = isRemote(name) ? main.getLocation([]).file : name;
    const parsed = parseDescriptionFile({ file, name, text: outcome.text }, report);
    return parsed ?? "which is not valid";
  }
}

const tooManyFiles = `but a description may refer to at most ${limits.linkedFiles} other files`;

export type RemoteApiSettings = Pick<SiteSettings, "fetchRemote" | "remoteApis" | "signal">;

/** The text of a description's file, or the reason why it could not be read. */
type LocationText =
  | { readonly text: string }
  /** `reason` continues a sentence that begins with the file's name. */
  | { readonly failure: "missing" | "unreadable" | "notFetched"; readonly reason: string };

/** Reads a path relative to the site's folder, or an address. Rejects only if the signal is aborted. */
type ReadLocation = (location: string) => Promise<LocationText>;

/** Creates a reader for the files of one site's descriptions. */
function createLocationReader(root: string, settings: RemoteApiSettings): ReadLocation {
  const { fetchRemote, remoteApis = false, signal } = settings;
  let remotesLeft = limits.remoteDescriptions;

  async function readFile(path: string): Promise<LocationText> {
    try {
      return { text: await readTextInside(root, path, limits.descriptionBytes) };
    } catch (error) {
      if (!(error instanceof OctavoError)) throw error;
      if (error.code === "not_found") return { failure: "missing", reason: "does not exist" };
      return {
        failure: "unreadable",
        reason: `cannot be read: ${error.message.replace(/\.$/, "")}`,
      };
    }
  }
  async function fetchText(url: string): Promise<LocationText> {
    if (!fetchRemote || !remoteApis) {
      return createFetchFailure("descriptions on other hosts are fetched only with --remote-apis");
    }
    remotesLeft -= 1;
    if (remotesLeft < 0)
      return createFetchFailure(
        `the site names more than ${limits.remoteDescriptions} descriptions on other hosts`,
      );
    try {
      const limit = { maxBytes: limits.descriptionBytes, ...(signal ? { signal } : {}) };
      const { bytes } = await fetchRemote(url, limit);
      return { text: new TextDecoder().decode(bytes.subarray(0, limits.descriptionBytes)) };
    } catch (error) {
      signal?.throwIfAborted();
      return createFetchFailure(
        error instanceof Error ? error.message.replace(/\.$/, "") : String(error),
      );
    }
  }
  return async (location) => {
    signal?.throwIfAborted();
    return isRemote(location) ? await fetchText(location) : await readFile(location);
  };
}

function createFetchFailure(reason: string): LocationText {
  return { failure: "notFetched", reason: `was not fetched (${reason})` };
}
