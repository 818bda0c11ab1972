import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { repository } from "../import-problem.ts";
import {
  beginsWithVerb,
  findBritishSpellings,
  findCommentProblem,
  findOtherHomes,
} from "./wording.ts";

describe("names of functions", () => {
  const good = ["openCheckout", "render", "isOpen", "hasTitle", "toSlug", "html", "PageHeader"];
  const bad = ["titleOf", "becameSection", "withoutPrefix", "landing", "inState", "openness"];
  for (const name of good) it(`accepts ${name}`, () => assert.equal(beginsWithVerb(name), true));
  for (const name of bad) it(`refuses ${name}`, () => assert.equal(beginsWithVerb(name), false));
});

describe("doc comments", () => {
  for (const word of ["What", "Which", "Of", "That"]) {
    it(`refuses one that begins with ${word}`, () => {
      assert.match(findCommentProblem(`* ${word} a page needs. `) ?? "", new RegExp(`"${word}"`));
      assert.match(findCommentProblem(`*\n * ${word} a page needs.\n `) ?? "", /noun or a verb/);
    });
  }
  const good = ["* Whatever. ", "* Office hours. ", "* The page. What follows. ", " What it is."];
  for (const comment of good) {
    it(`accepts ${JSON.stringify(comment)}`, () => {
      assert.equal(findCommentProblem(comment), undefined);
    });
  }
});

describe("spelling", () => {
  const british =
    "organisation Colours behaviours neighbour favourite centre catalogue grey licence analysed labelled normalise initialisation judgement fulfil defence";
  for (const word of british.split(" ")) {
    it(`finds ${word}`, () => {
      assert.deepEqual(
        findBritishSpellings(`the ${word}'s`).map((found) => found.word),
        [word],
      );
    });
  }
  it("finds a word in a name, where it is", () => {
    assert.deepEqual(findBritishSpellings("const colourOf = 1;"), [
      { word: "colourOf", stem: "color", index: 6 },
    ]);
  });
  it("accepts American words, and words that both spell alike", () => {
    const words =
      "organization color behavior analysis promise otherwise rise exercise premise advertise fulfilled cancelled isolated";
    assert.deepEqual(findBritishSpellings(words), []);
  });
});

function file(path: string): string {
  return join(repository, "packages", path);
}

describe("exported names", () => {
  it("stand in one file of a package, and tests have their own", () => {
    const home = "site/src/export/render-site.ts";
    assert.deepEqual(findOtherHomes(file("site/src/core/error.ts"), "renderSite"), [home]);
    assert.deepEqual(findOtherHomes(file(home), "renderSite"), []);
    assert.deepEqual(findOtherHomes(file("octavo/src/core/rights.ts"), "renderSite"), []);
    assert.deepEqual(findOtherHomes(file("octavo/src/core/rights.ts"), "up"), []);
  });
});
