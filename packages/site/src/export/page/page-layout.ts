import type { IconRenderer } from "../../markup/index.ts";
import { createCopyFinder } from "../../site/index.ts";
import { createLayout } from "../../theme/index.ts";
import type { Layout } from "../../theme/index.ts";
import type { RenderSetup } from "../pool/protocol.ts";

/** Content of each page's `<meta name="generator">`. */
const generator = "Octavo";

/** Creates the layout for the pages of a setup. It is the same in a render child and in its parent. */
export function createPageLayout(setup: RenderSetup, renderIcon: IconRenderer): Layout {
  const { site, baseUrl, words, firstScript, remoteMedia, mediaCopies } = setup;
  const { remoteOrigins, hasRemoteImages } = setup;
  const findCopy = createCopyFinder(remoteMedia, mediaCopies);
  return createLayout(site, {
    generator,
    words,
    firstScript,
    renderIcon,
    findCopy,
    baseUrl,
    remoteOrigins,
    hasRemoteImages,
  });
}
