import { OctavoError } from "../../core/index.ts";

/** Something in the cache turned out to be damaged while it was used: the export must be repeated without it. */
export class CacheDamaged extends OctavoError {
  constructor(cause?: unknown) {
    super("internal", "A file in the cache is damaged; delete the cache's folder.", { cause });
  }
}
