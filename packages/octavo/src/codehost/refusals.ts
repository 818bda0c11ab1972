import { isOctavoError, type OctavoError } from "@octavo/site/core";

/** Collects a code host's refusals while the remaining work continues. */
export interface Refusals {
  /** Runs `work`. If the host refuses, records a sentence that begins with `what`. Throws other errors. */
  attempt(what: string, work: () => Promise<unknown>): Promise<void>;
  readonly sentences: readonly string[];
}

/** Creates an empty collection. `translate` is required if the work throws errors other than `OctavoError`. */
export function createRefusals(translate?: (error: unknown) => OctavoError): Refusals {
  const sentences: string[] = [];
  return {
    sentences,
    async attempt(what, work) {
      try {
        await work();
      } catch (thrown) {
        const error = translate ? translate(thrown) : thrown;
        const isRefusal =
          isOctavoError(error, "invalid_input") ||
          isOctavoError(error, "forbidden") ||
          isOctavoError(error, "not_found");
        if (!isRefusal) throw error;
        sentences.push(`${what}: ${error.message}`);
      }
    },
  };
}
