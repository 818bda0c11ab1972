/** Helpers for tests of other folders. Only tests may import this file. */
export { migrationNames } from "./migrate.ts";
