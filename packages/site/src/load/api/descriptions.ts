import { limits, OctavoError } from "../../core/index.ts";
import type { Problem, ProblemLog, ProblemLocation } from "../../core/index.ts";
import { isRemote, parseDescriptionFile, readDescription } from "../../openapi/index.ts";
import type { ApiDescription, DescriptionFile, LinkedFiles } from "../../openapi/index.ts";
import { readTextInside } from "../read-text.ts";
import { createLocationReader } from "./location-reader.ts";
import type { LocationText, ReadLocation, RemoteApiSettings } from "./location-reader.ts";
import { OperationIndex } from "./operation-index.ts";

/** A description that the site names or contains. */
export interface KnownDescription {
  /** The path relative to the site's folder, or the address. */
  readonly location: string;
  /** The file for its problems and pages: the description, or for a remote description the file that names it. */
  readonly file: string;
  /** The description and its index; undefined if it could not be read, which has been reported. */
  readonly found?: { readonly description: ApiDescription; readonly index: OperationIndex };
}

interface DescriptionLoadOptions {
  readonly root: string;
  readonly problems: ProblemLog;
  /** `api.params.post` of the configuration. */
  readonly shownKeys: readonly string[];
  readonly settings: RemoteApiSettings;
}

/** `openapi` or `swagger` with a version; in `docs.json`, the value of this key is a path. */
const versionPattern =
  /\b(?:openapi["']?\s{0,20}:\s{0,20}["']?3\.\d|swagger["']?\s{0,20}:\s{0,20}["']?2\.0)/;

/** Loads the descriptions of one site, each once. */
export class Descriptions {
  readonly #options: DescriptionLoadOptions;
  readonly #byLocation = new Map<string, KnownDescription>();
  readonly #readLocation: ReadLocation;
  readonly #linker: FileLinker;
  readonly #report = (problem: Problem) => this.#options.problems.add(problem);
  #bytesLeft = limits.descriptionsBytes;

  constructor(options: DescriptionLoadOptions) {
    const { root, settings } = options;
    this.#options = options;
    this.#readLocation = createLocationReader(root, settings);
    this.#linker = new FileLinker({
      read: this.#readLocation,
      report: this.#report,
      take: (bytes) => this.#take(bytes),
    });
  }

  /** Returns the loaded descriptions by file name, which is the format's search order. */
  get all(): readonly KnownDescription[] {
    const locations = [...this.#byLocation.keys()].toSorted();
    return locations.flatMap((location) => this.#byLocation.get(location) ?? []);
  }

  get(location: string): KnownDescription | undefined {
    return this.#byLocation.get(location);
  }

  /** Loads a description that is named at `place`; reports a problem if that fails. */
  async load(location: string, place: ProblemLocation): Promise<void> {
    if (this.#byLocation.has(location)) return;
    const file = isRemote(location) ? place.file : location;
    const known = { location, file };
    this.#byLocation.set(location, known);
    const { shownKeys } = this.#options;
    const main = this.#linker.known(location) ?? (await this.#parse(known, place));
    if (!main) return;
    const report = this.#report;
    const linked = await this.#linker.linkedTo(main);
    const description = readDescription(main, { report, linked, shownKeys });
    if (!description) return;
    const index = new OperationIndex(description.operations);
    this.#byLocation.set(location, { ...known, found: { description, index } });
  }

  /** Loads a file if it is a description; silently ignores other files. */
  async discover(file: string): Promise<void> {
    if (this.#byLocation.has(file) || this.#byLocation.size >= limits.descriptions) return;
    try {
      const text = await readTextInside(this.#options.root, file, limits.descriptionBytes);
      if (versionPattern.test(text)) await this.load(file, { file });
    } catch (error) {
      if (!(error instanceof OctavoError)) throw error;
    }
  }

  async #parse({ location, file }: KnownDescription, place: ProblemLocation) {
    const text = await this.#read(location, place);
    const source = { file, name: location };
    return text === undefined ? undefined : parseDescriptionFile({ ...source, text }, this.#report);
  }

  async #read(location: string, place: ProblemLocation): Promise<string | undefined> {
    const { problems } = this.#options;
    const name = JSON.stringify(location);
    if (this.#byLocation.size > limits.descriptions) {
      const message = `The site names more than ${limits.descriptions} API descriptions; ${name} and those after it are ignored.`;
      problems.fail("description_limit", message, place);
      return undefined;
    }
    const outcome = await this.#readLocation(location);
    if ("failure" in outcome) {
      this.#reportFailure(location, outcome, place);
      return undefined;
    }
    if (this.#take(outcome.text.length)) return outcome.text;
    const message = `The API descriptions of this site exceed ${limits.descriptionsBytes} bytes in total; ${name} is ignored.`;
    problems.fail("description_limit", message, place);
    return undefined;
  }

  /** Deducts bytes from the allowance of all descriptions; returns false if it is used up. */
  #take(bytes: number): boolean {
    this.#bytesLeft -= bytes;
    return this.#bytesLeft >= 0;
  }

  #reportFailure(
    location: string,
    { failure, reason }: Exclude<LocationText, { text: string }>,
    place: ProblemLocation,
  ): void {
    const { problems } = this.#options;
    if (failure === "notFetched") {
      const message = `The API description at ${location} ${reason}; its pages show only its address.`;
      problems.warn("description_not_fetched", message, place);
      return;
    }
    const message = `The API description ${JSON.stringify(location)} ${reason}.`;
    const code = failure === "missing" ? "description_missing" : "description_invalid";
    problems.fail(code, message, place);
  }
}

interface LinkedFileOptions {
  readonly read: ReadLocation;
  readonly report: (problem: Problem) => void;
  /** Deducts bytes from the allowance of the site's descriptions; returns false if it is used up. */
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
  known(name: string): DescriptionFile | undefined {
    const file = this.#files.get(name);
    return typeof file === "string" ? undefined : file;
  }

  /** Reads all files that `main` refers to, directly or indirectly. Rejects only if the signal is aborted. */
  async linkedTo(main: DescriptionFile): Promise<LinkedFiles> {
    this.#files.set(main.name, main);
    const linked = new Map<string, DescriptionFile | string>();
    const names = new Set(main.linked);
    let weight = main.weight;
    // The loop also visits the names that it adds.
    for (const name of names) {
      if (name === main.name) continue;
      const file = linked.size < limits.linkedFiles ? await this.#file(name, main) : tooMany;
      if (typeof file !== "string") weight += file.weight;
      const isTooLarge = weight > limits.descriptionWeight;
      const found = isTooLarge ? "but the files of this description are too large together" : file;
      linked.set(name, found);
      if (typeof found === "string") continue;
      for (const next of found.linked) names.add(next);
    }
    return linked;
  }

  async #file(name: string, main: DescriptionFile): Promise<DescriptionFile | string> {
    const known = this.#files.get(name) ?? (await this.#read(name, main));
    this.#files.set(name, known);
    if (typeof known === "string" || this.#options.take(known.bytes)) return known;
    return "but the descriptions of this site are too large together";
  }

  async #read(name: string, main: DescriptionFile): Promise<DescriptionFile | string> {
    const { read, report } = this.#options;
    const outcome = await read(name);
    if ("reason" in outcome) return `which ${outcome.reason}`;
    const file = isRemote(name) ? main.placeOf([]).file : name;
    const parsed = parseDescriptionFile({ file, name, text: outcome.text }, report);
    return parsed ?? "which is not valid";
  }
}

const tooMany = `but a description may refer to at most ${limits.linkedFiles} other files`;
