/** What tests of other rooms need of this one. Only tests may import it. */
export { firstScriptHash } from "./head/first-script.ts";
