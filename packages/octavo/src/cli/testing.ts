/** What tests of other rooms need of this one. Only tests may import it. */
export { openNode } from "./wire.ts";
export type { Node } from "./wire.ts";
