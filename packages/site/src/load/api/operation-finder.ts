import type { OperationEntry } from "../../openapi/index.ts";
import type { ProblemLog, ProblemLocation } from "../../core/index.ts";
import { isRemote } from "../../openapi/index.ts";
import { cleanLocation, type ApiSource } from "./api-source.ts";
import { formatUnread, type Descriptions, type KnownDescription } from "./descriptions.ts";
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
   * Searches the description that the reference names. If it names none, searches the descriptions of the nearest
   * navigation level, then those of the configuration, then all others by file name. Reports an operation that is not
   * found.
   */
  find(
    text: OperationText,
    inherited: ApiSource | undefined,
    place: ProblemLocation,
  ): FoundOperation | undefined {
    const { all } = this.#options.descriptions;
    const named = this.#named(text, { inherited, place });
    const candidates = text.location === undefined ? [...named, ...all] : named;
    for (const known of candidates) {
      const entry = known.found?.index.find(text);
      if (!entry) continue;
      this.#warnOfOtherFile(text, { known, first: named[0] }, place);
      return { known, entry };
    }
    const unread = named.find(({ found }) => found === undefined);
    // A remote description that was not fetched has been reported, and its pages show its address.
    if (!unread || !isRemote(unread.location)) this.#report(text, { candidates, unread, place });
    return unread && { known: unread };
  }

  /** Reports an operation that is not in the file at the authored path, but in a different file with the same name. */
  #warnOfOtherFile(
    text: OperationText,
    {
      known,
      first,
    }: { readonly known: KnownDescription; readonly first?: KnownDescription | undefined },
    place: ProblemLocation,
  ): void {
    const path = text.location === undefined ? undefined : cleanLocation(text.location);
    if (!first || first === known || path !== first.location || !path.includes("/")) return;
    const name = formatOperationName(text).slice(0, 200);
    const message = `There is no operation "${name}" in ${path}; the operation in ${known.location} is shown instead.`;
    this.#options.problems.warn("operation_elsewhere", message, place);
  }

  #named(
    { location }: OperationText,
    from: { readonly inherited: ApiSource | undefined; readonly place: ProblemLocation },
  ): readonly KnownDescription[] {
    const { descriptions, defaults } = this.#options;
    if (location !== undefined) return descriptions.named(location, from.place.file);
    return [...descriptions.inSource(from.inherited), ...descriptions.inSource(defaults)];
  }

  #report(
    text: OperationText,
    at: {
      readonly candidates: readonly KnownDescription[];
      readonly unread: KnownDescription | undefined;
      readonly place: ProblemLocation;
    },
  ): void {
    const name = formatOperationName(text).slice(0, 200);
    this.#options.problems.fail("operation_missing", this.#message(text, name, at), at.place);
  }

  #message(
    text: OperationText,
    name: string,
    {
      candidates,
      unread,
    }: {
      readonly candidates: readonly KnownDescription[];
      readonly unread: KnownDescription | undefined;
    },
  ): string {
    if (unread) return formatUnread(`operation "${name}"`, unread);
    const { all } = this.#options.descriptions;
    const [first] = candidates;
    if (!first && text.location !== undefined) {
      return `There is no operation "${name}" in ${text.location.slice(0, 200)}, because the site has no API description of this name.${this.#hint(text, all)}`;
    }
    if (!first) {
      return `"${name}" does not name an API description, and the site does not have one. Name one, as in "openapi.json ${name}", or set "openapi".`;
    }
    const where =
      text.location === undefined ? "the site's descriptions" : listLocations(candidates);
    return `There is no operation "${name}" in ${where}.${this.#hint(text, candidates)}`;
  }

  #hint(text: OperationText, candidates: readonly KnownDescription[]): string {
    const suggestion = candidates
      .map(({ found }) => found?.index.suggest(text))
      .find((found) => found !== undefined);
    if (suggestion !== undefined && suggestion !== formatOperationName(text)) {
      return ` Did you mean "${suggestion}"?`;
    }
    const { all } = this.#options.descriptions;
    const owner = all.find(({ found }) => found?.index.find(text));
    return owner ? ` It is in ${owner.location}.` : "";
  }
}

/** The maximum number of descriptions that a message names. */
const maxListed = 3;

function listLocations(descriptions: readonly KnownDescription[]): string {
  const names = descriptions.map(({ location }) => location.slice(0, 200));
  if (names.length <= maxListed) return names.join(" or ");
  return `${names.slice(0, maxListed).join(", ")} or ${names.length - maxListed} others`;
}
