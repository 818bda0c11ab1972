import type { OperationEntry } from "../../openapi/index.ts";
import type { ProblemLog, ProblemLocation } from "../../core/index.ts";
import { cleanLocation, type ApiSource } from "./api-source.ts";
import type { Descriptions, KnownDescription } from "./descriptions.ts";
import { formatOperationName } from "./operation-index.ts";
import type { OperationText } from "./operation-index.ts";

interface FoundOperation {
  readonly known: KnownDescription;
  /** The operation; undefined if the description could not be read, which has been reported. */
  readonly entry?: OperationEntry;
}

interface FinderOptions {
  readonly descriptions: Descriptions;
  /** `api.openapi` of the configuration. */
  readonly defaults: ApiSource | undefined;
  readonly problems: ProblemLog;
}

/** Finds operations by references such as `openapi.json GET /plants` and `GET /plants`. */
export class OperationFinder {
  readonly #options: FinderOptions;

  constructor(options: FinderOptions) {
    this.#options = options;
  }

  /**
   * Searches the description that the reference names; otherwise, the descriptions of the nearest navigation level,
   * then of the configuration, then all others by file name. Reports an operation that is not found.
   */
  find(
    text: OperationText,
    inherited: ApiSource | undefined,
    place: ProblemLocation,
  ): FoundOperation | undefined {
    const { all } = this.#options.descriptions;
    const named = this.#named(text, inherited);
    const candidates = text.location === undefined ? [...named, ...all] : named;
    for (const known of candidates) {
      const entry = known.found?.index.find(text);
      if (entry) return { known, entry };
    }
    const unread = named.find(({ found }) => found === undefined);
    if (unread) return { known: unread };
    this.#report(text, { candidates, place });
    return undefined;
  }

  #named({ location }: OperationText, inherited: ApiSource | undefined): KnownDescription[] {
    const { descriptions, defaults } = this.#options;
    const own = location === undefined ? undefined : (cleanLocation(location) ?? location);
    const locations =
      own === undefined ? [...(inherited?.locations ?? []), ...(defaults?.locations ?? [])] : [own];
    return locations.flatMap((name) => descriptions.get(name) ?? []);
  }

  #report(
    text: OperationText,
    at: { readonly candidates: readonly KnownDescription[]; readonly place: ProblemLocation },
  ): void {
    const name = formatOperationName(text).slice(0, 200);
    const where =
      text.location ?? (at.candidates.length > 0 ? "the site's descriptions" : undefined);
    const suggestion = at.candidates
      .map(({ found }) => found?.index.suggest(text))
      .find((found) => found !== undefined);
    const hint = suggestion === undefined ? "" : ` Did you mean "${suggestion}"?`;
    const message =
      where === undefined
        ? `"${name}" does not name an API description, and the site has none. Add one, as in "openapi.json ${name}" or under "openapi".`
        : `There is no operation "${name}" in ${where.slice(0, 200)}.${hint}`;
    this.#options.problems.fail("operation_missing", message, at.place);
  }
}
