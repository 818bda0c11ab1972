import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { writeFiles, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { sharedChildren } from "../../test/support/shared-children.ts";
import { startModelServer } from "../../test/support/model-server.ts";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { openEvaluatedModel } from "./evaluation.ts";
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

  it("are answered by any model that a service can use, at its price", async () => {
    await using scratch = await temporaryFolder();
    const page = "# Quickstart\n\nInstall `kiln@1.4.2`, then open the Inspector.\n";
    await writeFiles(scratch.path, { "llms.txt": "- [Quickstart](q.md)\n", "q.md": page });
    const site = { name: "kiln", folder: scratch.path, cases: cases.slice(1, 2) };
    for (const [name, key, address, path] of [
      ["anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "/v1"],
      ["openai/gpt-5", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1"],
      [
        "google/gemini-2.5-flash",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "GOOGLE_GENERATIVE_AI_BASE_URL",
        "/v1beta",
      ],
      ["compatible/any", "OCTAVO_MODEL_KEY", "OCTAVO_MODEL_URL", "/v1"],
    ] as const) {
      await using server = await startModelServer([
        { toolCalls: [{ name: "read", input: { path: "llms.txt" } }] },
        {
          toolCalls: [
            { name: "read", input: { path: "/q.md" } },
            { name: "read", input: {} },
          ],
        },
        { text: "Version 1.4.2.\n\nPage: quickstart.md" },
      ]);
      const { model, price } = await openEvaluatedModel(name, {
        [key]: "test-key",
        [address]: `${server.url}${path}`,
        OCTAVO_ALLOW: `127.0.0.1:${server.port}`,
        OCTAVO_MODEL_CONTEXT: "100000",
        OCTAVO_MODEL_PRICES: "1/2",
      });
      const runs = await askSites([site], () => model);
      const [run] = runs;
      assert.deepEqual(
        [run?.error, run?.isCited, run?.read],
        [undefined, true, ["llms.txt", "q.md"]],
        name,
      );
      assert.match(JSON.stringify(server.requests[2]?.body), /kiln@1\.4\.2.*There is no file/);
      assert.match(describeAnswers(runs, price), /\| 300 +\| 60 +\| \d+\.\d +\| \$0\.0004 /);
    }
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
      ["Page: [Start](guides/start.md).", "guides/start"],
      ["Page: None.", undefined],
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
      const echo = scoreReply(question, `${question.question}\n\nPage: ${page}.md`);
      assert.equal(echo.isRight, false, `an echo: ${question.question}`);
    }
  });
});
