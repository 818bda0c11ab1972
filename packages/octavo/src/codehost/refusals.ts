import { isOctavoError, type OctavoError } from "@octavo/site/core";

/** Collects a code host's refusals while the remaining work continues. */
export interface Refusals {
  /** Runs `work`. A refusal becomes a sentence that begins with `what`; other errors are thrown. */
  attempt(what: string, work: () => Promise<unknown>): Promise<void>;
  readonly sentences: readonly string[];
}

/** Creates an empty collection. Work that does not throw an `OctavoError` needs `translate`. */
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
