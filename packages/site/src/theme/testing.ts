/** Exports for tests in other folders. Only tests may import this module. */
export { readFirstScript } from "./head/first-script.ts";
export { sampleFirstScript } from "./head/first-script.test-support.ts";
