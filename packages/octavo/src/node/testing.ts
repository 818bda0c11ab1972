/** Exports for the tests of other rooms. Only tests may import it. */
export type { IsolatedOperations } from "./isolated.ts";
