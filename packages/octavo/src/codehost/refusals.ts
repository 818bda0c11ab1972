import { isOctavoError } from "@octavo/site/core";

/** Collects what a code host refused while the rest is done. */
export interface Refusals {
  /** Runs `work`. A refusal becomes a sentence that begins with `what`; other errors are thrown. */
  attempt(what: string, work: () => Promise<unknown>): Promise<void>;
  readonly sentences: readonly string[];
}

export function createRefusals(): Refusals {
  const sentences: string[] = [];
  return {
    sentences,
    async attempt(what, work) {
      try {
        await work();
      } catch (error) {
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
