import type { FirstScript } from "./first-script.ts";

/** A substitute for the script in tests that do not run it, because the script itself must be read asynchronously. */
export const sampleFirstScript: FirstScript = { text: "start()", hash: "sha256-c3RhcnQoKQ==" };
