import { OctavoError, limits } from "../../core/index.ts";
import { readDescription, type ApiDescription } from "../../openapi/index.ts";
import type { SiteSettings } from "../site-settings.ts";
import type { ProblemLog, ProblemPlace } from "../../core/index.ts";
import { readTextInside } from "../read-text.ts";
import { isRemote } from "./api-source.ts";
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
  readonly settings: Pick<SiteSettings, "fetchRemote" | "signal">;
}

/** `openapi` with a version; in `docs.json` the key of that name has a path. */
const versionPattern = /\bopenapi["']?\s{0,20}:\s{0,20}["']?3\.\d/;

/** Loads the descriptions of one site, each once. */
export class Descriptions {
  readonly #options: DescriptionLoadOptions;
  readonly #byLocation = new Map<string, KnownDescription>();
  #bytesLeft = limits.descriptionsBytes;
  #remotesLeft = limits.remoteDescriptions;

  constructor(options: DescriptionLoadOptions) {
    this.#options = options;
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
    const text = await this.#read(location, place);
    if (text === undefined) return;
    const { problems, shownKeys } = this.#options;
    const source = { file, name: location, text };
    const description = readDescription(source, (problem) => problems.add(problem), { shownKeys });
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

  async #read(location: string, place: ProblemPlace): Promise<string | undefined> {
    const { problems } = this.#options;
    const name = JSON.stringify(location);
    if (this.#byLocation.size > limits.descriptions) {
      const message = `The site names more than ${limits.descriptions} API descriptions; ${name} and those after it are ignored.`;
      problems.fail("description_limit", message, place);
      return undefined;
    }
    const read = isRemote(location)
      ? this.#fetch(location, place)
      : this.#readFile(location, place);
    const text = await read;
    if (text === undefined) return undefined;
    this.#bytesLeft -= text.length;
    if (this.#bytesLeft >= 0) return text;
    const message = `The API descriptions of this site exceed ${limits.descriptionsBytes} bytes in total; ${name} is ignored.`;
    problems.fail("description_limit", message, place);
    return undefined;
  }

  async #readFile(path: string, place: ProblemPlace): Promise<string | undefined> {
    try {
      return await readTextInside(this.#options.root, path, limits.descriptionBytes);
    } catch (error) {
      if (!(error instanceof OctavoError)) throw error;
      const isMissing = error.code === "not_found";
      const reason = isMissing ? "does not exist" : `cannot be read: ${error.message}`;
      const message = `The API description ${JSON.stringify(path)} ${reason}.`;
      this.#options.problems.fail(
        isMissing ? "description_missing" : "description_invalid",
        message,
        place,
      );
      return undefined;
    }
  }

  async #fetch(url: string, place: ProblemPlace): Promise<string | undefined> {
    const { problems, settings } = this.#options;
    const { fetchRemote, signal } = settings;
    this.#remotesLeft -= 1;
    let reason = "descriptions from other hosts are not fetched here";
    if (fetchRemote && this.#remotesLeft < 0) {
      reason = `the site names more than ${limits.remoteDescriptions}`;
    } else if (fetchRemote) {
      try {
        const limit = { maxBytes: limits.descriptionBytes, ...(signal ? { signal } : {}) };
        const { bytes } = await fetchRemote(url, limit);
        return new TextDecoder().decode(bytes.subarray(0, limits.descriptionBytes));
      } catch (error) {
        signal?.throwIfAborted();
        reason = error instanceof Error ? error.message : String(error);
      }
    }
    const message = `The API description at ${url} was not fetched (${reason}); its pages show only its address.`;
    problems.warn("description_not_fetched", message, place);
    return undefined;
  }
}
