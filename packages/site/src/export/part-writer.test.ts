import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import type { FilePart } from "../core/bundle-file.ts";
import type { ManifestPart } from "./manifest.ts";
import { writeParts } from "./part-writer.ts";

/** Longer than what is moved at once. */
const long = "long part, ".repeat(150_000);

/** A part for each text; one that begins with `?` has no fingerprint. */
function partsOf(texts: readonly string[], asked: string[]): FilePart[] {
  return texts.map((text) => ({
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

describe("writeParts changes no more of a file than differs by", () => {
  for (const [what, texts, expected] of cases) {
    it(what, async (t) => {
      const file = join(await writeSite(t, {}), "file");
      let earlier: readonly ManifestPart[] | undefined;
      const asked: string[] = [];
      for (const made of [["a", "b", long, "c", "d"], texts, ["a", "?", long, "d"], texts]) {
        asked.length = 0;
        earlier = writeParts(file, partsOf(made, asked), earlier).parts;
        assert.equal(readFileSync(file, "utf8"), made.join(""));
        if (made === texts && !asked.includes("d")) assert.ok(asked.length <= texts.length);
        if (made === texts) break;
      }
      assert.deepEqual(asked, expected);
      writeParts(file, partsOf(["a", "?", long, "d"], asked), earlier);
      assert.equal(readFileSync(file, "utf8"), ["a", "?", long, "d"].join(""));
    });
  }
});
