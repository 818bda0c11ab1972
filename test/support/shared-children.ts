import { after } from "node:test";
import { openRenderChildren } from "../../packages/site/src/export/index.ts";
import type { RenderChildren } from "../../packages/site/src/export/index.ts";

/**
 * Render children for all exports of a test file, which end with it: to start one takes 0.2 s of CPU, more than to
 * render a small site. Call it at the top of the file.
 */
export function sharedChildren(): RenderChildren {
  const children = openRenderChildren();
  after(() => children[Symbol.asyncDispose]());
  return children;
}
