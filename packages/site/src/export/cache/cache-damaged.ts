import { OctavoError } from "../../core/index.ts";

/** Thrown if part of the cache turns out to be damaged during use. The export must be repeated without that part. */
export class CacheDamagedError extends OctavoError {
  constructor(cause?: unknown) {
    super("internal", "A file in the cache is damaged; delete the cache's folder.", { cause });
  }
}
