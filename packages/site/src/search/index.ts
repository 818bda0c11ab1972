export type { ByteStore } from "./byte-store.ts";
export type { CachedDocs, CachedGroup, CachedIndex, SearchIndexCache } from "./cached-index.ts";
export { searchFiles } from "./search-files.ts";
export { noTerms, pageNames, pageTerms } from "./terms.ts";
export type { PageTerms } from "./terms.ts";
