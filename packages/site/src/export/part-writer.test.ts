import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import type { FilePart } from "../core/index.ts";
import { writeParts, type PreviousParts } from "./bundle-folder.ts";

/** Longer than the number of bytes that are copied at a time. */
const long = "long part, ".repeat(150_000);

/** Creates a part for each text; a text that begins with `?` has no fingerprint. */
function partsOf(texts: readonly string[], asked: string[]): FilePart[] {
  return texts.map((text) => ({
    name: text.slice(0, 40),
    ...(text.startsWith("?") ? {} : { fingerprint: text.slice(0, 40) + text.length }),
    bytes() {
      asked.push(text);
      return Buffer.from(text);
    },
  }));
}

const cases: [what: string, texts: readonly string[], asked: readonly string[]][] = [
  ["nothing", ["a", "b", long, "c", "d"], []],
  ["a part that is longer", ["a", "b, longer", long, "c", "d"], ["b, longer"]],
  ["a part that is shorter", ["a", "b", "short", "c", "d"], ["short"]],
  ["a part more", ["a", "b", "new", long, "c", "d"], ["new"]],
  ["a part less", ["a", long, "c", "d"], []],
  ["the first part", ["other", "b", long, "c", "d"], ["other"]],
  ["the last part", ["a", "b", long, "c", "other"], ["other"]],
  ["two parts, and all between them", ["x", "b", long, "y", "d"], ["x", "b", long, "y"]],
  ["an equal part beside another", ["a", "b", "b", long, "c", "d"], ["b"]],
  ["the order", ["d", "c", long, "b", "a"], ["d", "c", long, "b", "a"]],
  ["all parts", ["x"], ["x"]],
  ["all parts, which are gone", [], []],
  ["a part without a fingerprint", ["a", "b", "?", "c", "d"], ["?"]],
];

describe("writeParts reads only the parts of a file that differ by", () => {
  for (const [what, texts, expected] of cases) {
    it(what, async (t) => {
      const folder = await writeSite(t, {});
      const asked: string[] = [];
      let round = 0;
      let earlier: PreviousParts | undefined;
      for (const made of [["a", "b", long, "c", "d"], texts, ["a", "?", long, "d"]]) {
        asked.length = 0;
        const file = join(folder, `${++round}`);
        const before = earlier && readFileSync(earlier.file);
        const parts = writeParts(file, partsOf(made, asked), earlier);
        assert.equal(readFileSync(file, "utf8"), made.join(""));
        if (earlier) assert.deepEqual(readFileSync(earlier.file), before);
        if (made === texts) assert.deepEqual(asked, expected);
        earlier = { file, parts };
      }
    });
  }
});
