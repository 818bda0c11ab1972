export type { ByteStore } from "./byte-store.ts";
export type { CachedDocs, CachedGroup, CachedIndex, SearchIndexCache } from "./cached-index.ts";
export { createSearchFiles } from "./search-files.ts";
export { emptyTerms, listPageNames, indexPageTerms } from "./terms.ts";
export type { PageTerms } from "./terms.ts";
