import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { writeFiles, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { sharedChildren } from "../../test/support/shared-children.ts";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { askSites, describeAnswers, describeSearch, searchSites } from "./questions.ts";
import { smallSite } from "./prompts/small-site.ts";
import { questionCases } from "./questions/cases.ts";
import { findCitedPage, scoreReply } from "./questions/question-case.ts";
import type { QuestionCase } from "./questions/question-case.ts";
import { scriptReader, scriptedReaders } from "./questions/scripts.ts";

const children = sharedChildren();

const cases: readonly QuestionCase[] = [
  {
    site: "kiln",
    question: "What does the Inspector show?",
    page: "index",
    fact: /The Inspector shows what happens/,
    answer: "It shows what happens.",
    expected: [/what happens/],
  },
  {
    site: "kiln",
    question: "Which version is installed in the quickstart?",
    page: "quickstart",
    fact: /Install `kiln@1\.4\.2`/,
    answer: "Version 1.4.2.",
    expected: [/\b1\.4\.2\b/],
  },
  {
    site: "kiln",
    question: "How much does a kiln weigh?",
    page: undefined,
    fact: undefined,
    answer: "The documentation does not say.",
    expected: [],
  },
];

describe("questions about a site", () => {
  it("tell apart a reader, one who finds nothing and one who invents", async () => {
    await using scratch = await temporaryFolder();
    const siteDir = join(scratch.path, "site");
    const folder = join(scratch.path, "bundle");
    await writeFiles(siteDir, smallSite);
    await renderSite({ siteDir, outDir: folder, workers: 1, children });
    const site = { name: "kiln", folder, cases };
    const runs = [];
    for (const name of scriptedReaders) {
      runs.push(...(await askSites([site], (question) => scriptReader(name, question))));
    }
    const verdicts = runs.map(({ isRight, isCited, isWrong }) => [isRight, isCited, isWrong]);
    const [right, none, wrong] = [
      [true, true, false],
      [false, false, false],
      [false, false, true],
    ];
    assert.deepEqual(verdicts, [right, right, right, none, none, right, wrong, wrong, wrong]);
    assert.deepEqual(runs[1]?.read, ["llms.txt", "quickstart.md"]);
    const text = describeAnswers(runs, undefined);
    assert.match(text, /\| all +\| 9 +\| 4 +\| 4 +\| 3 +\| 2 +\|/);
    assert.match(
      text,
      /- kiln, What does the Inspector show\? "Purple elephants\. Page: elephants\.md", cites elephants where index is right/,
    );
    const searched = await searchSites([site]);
    assert.deepEqual(
      searched.map(({ page, factPages }) => [page, factPages]),
      [
        ["index", ["index"]],
        ["quickstart", ["quickstart"]],
      ],
    );
    assert.match(describeSearch(searched), /\| kiln +\| 2 +\| \d +\| \d /);
  });

  it("find the cited page however it is written", () => {
    for (const [text, page] of [
      ["It is 3.\n\nPage: guides/start.md", "guides/start"],
      ["It is 3.\n**Page:** `/guides/start`", "guides/start"],
      [
        "Page: other.md\nIt is 3.\nPage: https://docs.example.com/guides/start.html#more",
        "guides/start",
      ],
      ["Page: guides/index.md", "guides"],
      ["Page: none", undefined],
      ["It is 3.", undefined],
    ] as const) {
      assert.equal(findCitedPage(text), page, text);
    }
  });

  it("have answers that the scores accept, and inventions that they do not", () => {
    assert.ok(questionCases.length >= 45);
    assert.equal(questionCases.filter(({ page }) => page === undefined).length, 5);
    for (const question of questionCases) {
      const { page = "none", answer } = question;
      const right = scoreReply(question, `${answer}\n\nPage: ${page}`);
      assert.deepEqual(right, { isRight: true, isCited: true, isWrong: false }, question.question);
      const elsewhere = scoreReply(question, `${answer}\n\nPage: elsewhere.md`);
      assert.equal(elsewhere.isCited, false);
      assert.equal(scoreReply(question, "Purple.\n\nPage: elsewhere.md").isWrong, true);
    }
  });
});
