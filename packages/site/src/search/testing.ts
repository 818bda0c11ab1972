/** The parts of this folder that tests of other folders need. Only tests may import it. */
export type { SearchedPage } from "./search-files.ts";
