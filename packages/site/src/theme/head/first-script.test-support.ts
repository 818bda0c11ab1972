import type { FirstScript } from "./first-script.ts";

/** In place of the script, where nothing runs it: reading that one has to be waited for. */
export const sampleFirstScript: FirstScript = { text: "start()", hash: "sha256-c3RhcnQoKQ==" };
