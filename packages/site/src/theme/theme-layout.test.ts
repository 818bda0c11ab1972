import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allWords } from "../markup/testing.ts";
import {
  attribute,
  elementsIn,
  parseDocument,
  type ParsedDocument,
} from "../../../../test/support/document.ts";
import {
  division,
  group,
  sampleContent,
  sampleSite,
  type SampleSite,
} from "../../../../test/support/sample-site.ts";
import type { OutlineEntry } from "../page/index.ts";
import { themeNames } from "../site/index.ts";
import type { ThemeName } from "../site/index.ts";
import { sampleFirstScript as firstScript } from "./head/first-script.test-support.ts";
import { createLayout } from "./layout.ts";

const plain: SampleSite = {
  navigation: division("root", "", {
    divisions: [
      division("tab", "Guides", { entries: [group("Start", ["index"])] }),
      division("tab", "Reference", { entries: [group("Calls", ["calls"])] }),
    ],
  }),
};

function write(sample: SampleSite, path: string, outline: readonly OutlineEntry[] = []) {
  const site = sampleSite(sample);
  const page = site.pages.find((candidate) => candidate.path === path);
  assert(page, `no page ${path}`);
  const layout = createLayout(site, { generator: "Octavo 0.0.0", words: allWords, firstScript });
  return parseDocument(layout.renderPage(page, sampleContent("<p>Text</p>", { outline })));
}

function hasWithin(document: ParsedDocument, id: string, name: string): boolean {
  return elementsIn(document.byId(id)).some((element) =>
    attribute(element, "class")?.split(" ").includes(name),
  );
}

function shapeOf(theme: ThemeName, mode?: "center" | "wide") {
  const frontmatter = mode === undefined ? {} : { index: { mode } };
  const document = write({ ...plain, config: { theme }, frontmatter }, "index");
  assert.deepEqual(document.errors, []);
  const [root] = document.byTag("html");
  return {
    layout: root && attribute(root, "data-layout"),
    hasEndInHeader: hasWithin(document, "header", "topbar-right-container"),
    hasTabsInBar: hasWithin(document, "header", "nav-tabs-inline"),
  };
}

function entries(count: number, depth: number): OutlineEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    depth,
    id: `${depth}-${index}`,
    text: `${depth}.${index}`,
  }));
}

describe("themes", () => {
  const layouts = {
    classic: ["mint", "palm", "linden"],
    sidebar: ["maple", "willow", "sequoia", "luma"],
    card: ["almond", "aspen"],
  } as const;

  it("lead to three layouts", () => {
    const named = Object.entries(layouts).flatMap(([layout, themes]) =>
      themes.map((theme) => [theme, layout] as const),
    );
    assert.deepEqual(named.map(([theme]) => theme).toSorted(), themeNames.toSorted());
    for (const [theme, layout] of named) {
      assert.deepEqual(shapeOf(theme), {
        layout,
        hasEndInHeader: layout !== "sidebar",
        hasTabsInBar: layout === "card",
      });
    }
  });

  it("have a bar where a page has no sidebar", () => {
    for (const theme of layouts.sidebar) {
      assert.equal(shapeOf(theme, "center").layout, "classic");
      assert.equal(shapeOf(theme, "center").hasEndInHeader, true);
      assert.equal(shapeOf(theme, "wide").layout, "sidebar");
    }
  });

  it("give tabs a row of their own that would not fit beside logo and links", () => {
    const many = Array.from({ length: 6 }, (_, index) =>
      division("tab", `A longer name ${index}`, { entries: [group("G", [`g/${index}`])] }),
    );
    const navigation = division("root", "", { divisions: many });
    const document = write({ navigation, config: { theme: "almond" } }, "g/0");
    assert.deepEqual(document.byClass("nav-tabs-inline"), []);
    assert.equal(document.byClass("nav-tabs-item").length, 6);
  });

  it("give tabs a row of their own where links need the room", () => {
    const navigation = division("root", "", {
      divisions: ["Guides", "Reference", "Changes"].map((label, index) =>
        division("tab", label, { entries: [group("G", [`g/${index}`])] }),
      ),
    });
    const hasTabsInBar = (count: number): boolean => {
      const link = { type: "link", label: "A longer name", href: "https://example.com" } as const;
      const navbar = { links: Array.from({ length: count }, () => link) };
      const document = write({ navigation, config: { theme: "aspen", navbar } }, "g/0");
      return document.byClass("nav-tabs-inline").length > 0;
    };
    assert.equal(hasTabsInBar(1), true);
    assert.equal(hasTabsInBar(5), false);
  });
});

describe("the table of contents", () => {
  it("is opened by a button of the bar, where there is one", () => {
    const [button] = write(plain, "index", entries(2, 2)).byClass("contents-button");
    assert(button);
    assert.equal(attribute(button, "popovertarget"), "table-of-contents-content");
    assert.deepEqual(write(plain, "index", []).byClass("contents-button"), []);
  });

  it("folds what is deep where it would be long, and leaves it out where it would be very long", () => {
    for (const [upper, deep, shown, list] of [
      [4, 4, 8, "whole"],
      [28, 4, 32, "whole"],
      [28, 5, 33, "folded"],
      [28, 68, 96, "folded"],
      [28, 69, 28, "folded"],
      [40, 4, 44, "folded"],
    ] as const) {
      const document = write(plain, "index", [...entries(upper, 3), ...entries(deep, 4)]);
      assert.equal(document.byClass("toc-item").length, shown, `${upper} and ${deep}`);
      const isLong = document.byTag("ul").some((ul) => attribute(ul, "data-long") !== undefined);
      assert.equal(isLong ? "folded" : "whole", list, `${upper} and ${deep}`);
    }
  });
});
