import { OctavoError } from "../../core/index.ts";

/** Thrown if a damaged part of the cache is found during use: the export must be repeated without it. */
export class CacheDamagedError extends OctavoError {
  constructor(cause?: unknown) {
    super("internal", "A file in the cache is damaged; delete the cache's folder.", { cause });
  }
}
