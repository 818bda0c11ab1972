import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVersionMatcher } from "./page-versions.ts";

/** Creates a page about a subject, with the content that every language shares: code, IDs, names and pictures. */
function pageOf(subject: string, words = "Words in English."): string {
  const marks = [1, 2, 3, 4].map((n) => `light(${subject}, ${n});`);
  return `${words}\n\n<div id="${subject}-care">\n  ## ${words}\n</div>\n\n\`\`\`js\n${marks.join("\n")}\n\`\`\`\n\nSee \`${subject}.json\`. ![x](/images/${subject}.svg)\n`;
}

function find(address: string, files: Readonly<Record<string, string>>): string | undefined {
  return createVersionMatcher(Object.keys(files), (page) => files[page]).find(address);
}

const spanish = "Palabras en español.";
const others = {
  "lamps/wicks": pageOf("wick"),
  "es/lamps/wicks": pageOf("wick", spanish),
  "es/lamps/oils": pageOf("oil", spanish),
};

describe("a lost page that another language has at its address", () => {
  it("is the page that alone has its code, ids and pictures", () => {
    const files = { ...others, "care/what-to-know": pageOf("oil"), "care/glass": pageOf("glass") };
    assert.equal(find("lamps/oils", files), "care/what-to-know");
  });

  it("is the page of its folder that has them beside what is its own", () => {
    const merged = pageOf("wick") + pageOf("oil");
    assert.equal(find("lamps/oils", { ...others, "lamps/wicks": merged }), "lamps/wicks");
  });

  it("is none where no page has them", () => {
    assert.equal(find("lamps/oils", others), undefined);
    assert.equal(find("lamps/oils", { ...others, "care/glass": pageOf("glass") }), undefined);
  });

  it("is none where two pages have them", () => {
    const files = { ...others, "care/one": pageOf("oil"), "care/two": pageOf("oil") };
    assert.equal(find("lamps/oils", files), undefined);
  });

  it("is no page that is what another lost one was", () => {
    const files = {
      ...others,
      "es/lamps/oils-of-old": `${pageOf("oil", spanish)}\n\`\`\`\nold = true\n\`\`\`\n`,
      "care/old": `${pageOf("oil")}\n\`\`\`\nold = true\n\`\`\`\n`,
    };
    assert.equal(find("lamps/oils", files), undefined);
  });

  it("is no page that was at another address, as a third language shows", () => {
    const files = {
      "es/lamps/wicks": pageOf("wick", spanish) + pageOf("oil", spanish),
      "fr/lamps/oils": pageOf("oil", "Mots en français."),
      "fr/lamps/wicks": "Mots en français.",
      "care/what-to-know": pageOf("oil"),
      "care/wicks": "Words in English.",
    };
    assert.equal(find("lamps/wicks", files), undefined);
    assert.equal(find("lamps/oils", files), "care/what-to-know");
  });

  it("is no page that became another lost one, as other versions show that have no page at the address", () => {
    const oils = [1, 2, 3, 4, 5, 6].map(
      (n) => `The lamp of kind ${n} burns for ${n} whole nights.`,
    );
    const wicks = [1, 2, 3, 4, 5, 6].map(
      (n) => `A wick of kind ${n} is trimmed ${n} times a year.`,
    );
    const files = {
      "v1/oils": oils.join("\n\n"),
      "v1/wicks": wicks.join("\n\n"),
      "v2/oils": oils.join("\n\n"),
      "v2/wicks": wicks.join("\n\n"),
      // In this edition, the oils moved to the page about wicks; in the other one, to the missing page.
      "v3/wicks": [...wicks, ...oils].join("\n\n"),
      "v4/wicks": wicks.join("\n\n"),
      "v4/glass": ["Glass breaks easily when it is hot and gets wet.", ...oils].join("\n\n"),
    };
    assert.equal(find("v3/glass", files), undefined);
    const { "v1/oils": one, "v2/oils": two, ...rest } = files;
    assert.ok(one === two);
    assert.equal(find("v3/glass", rest), "v3/wicks");
  });

  it("is no page that got a section of it, and the rest is nowhere", () => {
    const text = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(
      (n) => `The lamp of kind ${n} burns for ${n} whole nights.`,
    );
    const files = {
      "v1/oils": text.join("\n\n"),
      "v1/wicks": "text",
      "v2/wicks": text.slice(0, 6).join("\n\n"),
    };
    assert.equal(find("v2/oils", files), undefined);
    assert.equal(find("v2/oils", { ...files, "v2/wicks": text.join("\n\n") }), "v2/wicks");
  });

  it("is not the first page of its version, which other versions have, too", () => {
    const text = [1, 2, 3, 4, 5, 6].map((n) => `The lamp of kind ${n} burns for ${n} nights.`);
    const files = {
      "lamps/v1/index": text.join("\n\n"),
      "lamps/v1/wicks": "text",
      "lamps/v2/care/index": text.join("\n\n"),
      "lamps/v2/wicks": "text",
      "lamps/v3/index": text.join("\n\n"),
      "lamps/v3/wicks": "text",
    };
    assert.equal(find("lamps/v3/care", files), undefined);
  });

  it("is no page that other languages have at its own address", () => {
    const files = {
      ...others,
      "care/glass": pageOf("oil"),
      "es/lamps/oils": pageOf("oil", spanish),
      "fr/lamps/oils": pageOf("oil", "Mots en français."),
      "fr/care/glass": pageOf("oil", "Mots en français."),
    };
    assert.equal(find("lamps/oils", files), undefined);
  });

  it("is found among versions by its sentences, too", () => {
    const text = [1, 2, 3, 4, 5, 6].map(
      (n) => `The lamp of kind ${n} burns for ${n} whole nights.`,
    );
    const files = {
      "v1/oils": text.join("\n\n"),
      "v1/wicks": "text",
      "v2/wicks": "text",
      "v2/care/what-to-know": text.slice(1).join("\n\n"),
    };
    assert.equal(find("v2/oils", files), "v2/care/what-to-know");
  });
});
