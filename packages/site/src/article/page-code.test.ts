import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readControls } from "./page-code.ts";

describe("an author's settings for a diagram's buttons", () => {
  for (const [meta, isShown, placement] of [
    [undefined, undefined, "bottom-right"],
    ['placement="top-left"', undefined, "top-left"],
    ["placement={'bottom-left'} actions={false}", false, "bottom-left"],
    ["actions={true} placement=top-right", true, "top-right"],
    ['actions="false"', false, "bottom-right"],
    ["actions", true, "bottom-right"],
    ["theme=dark transactions=false placement=middle", undefined, "bottom-right"],
  ] as const) {
    it(String(meta), () => {
      assert.deepEqual(
        readControls(meta),
        isShown === undefined ? { placement } : { isShown, placement },
      );
    });
  }
});
