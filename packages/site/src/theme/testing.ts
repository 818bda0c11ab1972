/** What tests of other rooms need of this one. Only tests may import it. */
export { readFirstScript } from "./head/first-script.ts";
export { sampleFirstScript } from "./head/first-script.test-support.ts";
