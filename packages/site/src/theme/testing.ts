/** Exports for tests of other rooms. Only tests may import it. */
export { readFirstScript } from "./head/first-script.ts";
export { sampleFirstScript } from "./head/first-script.test-support.ts";
