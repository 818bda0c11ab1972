import { OctavoError } from "../../core/index.ts";

/**
 * The error for a part of the cache that turns out to be corrupt during use. The export must be repeated without that
 * part.
 */
export class CacheDamagedError extends OctavoError {
  constructor(cause?: unknown) {
    super("internal", "A file in the cache is damaged; delete the cache's folder.", { cause });
  }
}
