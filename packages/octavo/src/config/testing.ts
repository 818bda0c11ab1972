/** Exports of this room for the tests of other rooms. Only tests may import it. */
export { settings } from "./settings.ts";
