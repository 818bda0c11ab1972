/** Helpers for tests of other folders. Only tests may import it. */
export { migrationNames } from "./migrate.ts";
