/** What tests of other rooms need of this one. Only tests may import it. */
export { createRepositoryStore } from "./local/repository-store.ts";
export type { PackStorage } from "./local/repository-store.ts";
