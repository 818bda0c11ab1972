/** What tests of other rooms need of this one. Only tests may import it. */
export type { IsolatedOperations } from "./isolated.ts";
