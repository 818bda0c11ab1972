/** Exports for the tests of other rooms. Only tests may import this file. */
export { settings } from "./settings.ts";
