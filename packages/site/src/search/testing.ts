/** Exports for tests in other folders. Only tests may import this module. */
export type { SearchedPage } from "./search-files.ts";
