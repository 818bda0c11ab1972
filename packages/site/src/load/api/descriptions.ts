import { OctavoError, limits } from "../../core/index.ts";
import {
  isRemote,
  parseDescriptionFile,
  readDescription,
  type ApiDescription,
} from "../../openapi/index.ts";
import type { Problem, ProblemLog, ProblemPlace } from "../../core/index.ts";
import { readTextInside } from "../read-text.ts";
import { FileLinker } from "./linked-files.ts";
import {
  createLocationReader,
  type LocationText,
  type ReadLocation,
  type RemoteApiSettings,
} from "./location-reader.ts";
import { OperationIndex } from "./operation-index.ts";

/** A description that the site names or contains. */
export interface KnownDescription {
  /** Path below the site's folder, or address. */
  readonly location: string;
  /** The file for its problems and its pages: the description, or for a remote one the file that names it. */
  readonly file: string;
  /** Absent if it could not be read, which has been reported. */
  readonly found?: { readonly description: ApiDescription; readonly index: OperationIndex };
}

export interface DescriptionLoadOptions {
  readonly root: string;
  readonly problems: ProblemLog;
  /** `api.params.post` of the configuration. */
  readonly shownKeys: readonly string[];
  readonly settings: RemoteApiSettings;
}

/** `openapi` or `swagger` with a version; in `docs.json` the key of that name has a path. */
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

  /** Loaded descriptions by file name, the order in which the format searches them. */
  get all(): readonly KnownDescription[] {
    const locations = [...this.#byLocation.keys()].toSorted();
    return locations.flatMap((location) => this.#byLocation.get(location) ?? []);
  }

  get(location: string): KnownDescription | undefined {
    return this.#byLocation.get(location);
  }

  /** Loads a description that is named at `place`; reports what prevents that. */
  async load(location: string, place: ProblemPlace): Promise<void> {
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

  /** Loads a file if it is a description; ignores any other silently. */
  async discover(file: string): Promise<void> {
    if (this.#byLocation.has(file) || this.#byLocation.size >= limits.descriptions) return;
    try {
      const text = await readTextInside(this.#options.root, file, limits.descriptionBytes);
      if (versionPattern.test(text)) await this.load(file, { file });
    } catch (error) {
      if (!(error instanceof OctavoError)) throw error;
    }
  }

  async #parse({ location, file }: KnownDescription, place: ProblemPlace) {
    const text = await this.#read(location, place);
    const source = { file, name: location };
    return text === undefined ? undefined : parseDescriptionFile({ ...source, text }, this.#report);
  }

  async #read(location: string, place: ProblemPlace): Promise<string | undefined> {
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

  /** Takes bytes from what all descriptions may have together; false if they are used up. */
  #take(bytes: number): boolean {
    this.#bytesLeft -= bytes;
    return this.#bytesLeft >= 0;
  }

  #reportFailure(
    location: string,
    { failure, reason }: Exclude<LocationText, { text: string }>,
    place: ProblemPlace,
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
