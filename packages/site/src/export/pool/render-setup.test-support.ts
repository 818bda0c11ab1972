import { allWords } from "../../markup/testing.ts";
import type { Site } from "../../site/index.ts";
import { sampleFirstScript } from "../../theme/testing.ts";
import type { RenderSetup } from "./protocol.ts";

/** Creates a minimal setup for the pages of a site. */
export function createTestSetup(site: Site): RenderSetup {
  return {
    site,
    words: allWords,
    firstScript: sampleFirstScript,
    isForCheck: false,
    remoteMedia: "keep",
    remoteOrigins: [],
    hasRemoteImages: false,
  };
}
