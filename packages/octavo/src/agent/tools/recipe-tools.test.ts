import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openAgentSite, smallSite } from "../../../../../test/support/agent-site.ts";
import { skipRepeatedCalls } from "../../recipes/index.ts";
import { runInstruction } from "../../recipes/testing.ts";
import type { ToolOutput } from "./tool.ts";

const broken = {
  ...smallSite,
  "guides/broken.mdx": "---\ntitle: Broken\n---\n\n[One](/guides/deeep/one) and [two](/nowhere).\n",
  "guides/deep/two.mdx": "---\ntitle: Two\n---\n\nA lamp burns.\n",
};

interface Case {
  readonly name: string;
  readonly tool: string;
  readonly input: object;
  readonly report: RegExp;
  /** Added lines of the diff; none for a call that changes nothing. */
  readonly added: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: "renames a term across files",
    tool: "rename_term",
    input: { from: "lamp", to: "lantern" },
    report: /^Renamed `lamp` to `lantern`: 2 places in 2 files\./,
    added: [
      "+A lantern burns.",
      "+Fill the lantern before dusk, trim its wick, and light it with a long match.",
    ],
  },
  {
    name: "renames only in the folders and pages that are named",
    tool: "rename_term",
    input: { from: "lamp", to: "lantern", in: ["guides/deep/", "index"] },
    report: /in `guides\/deep\/` and `index`: 1 place in 1 file/,
    added: ["+A lantern burns."],
  },
  {
    name: "repairs links, and reports the links that it left",
    tool: "repair_links",
    input: {},
    report:
      /^Fixed 1 broken link\.[^]*`\/guides\/deeep\/one` → `\/guides\/deep\/one`[^]*Left unchanged:[^]*`\/nowhere`/,
    added: ["+[One](/guides/deep/one) and [two](/nowhere)."],
  },
  {
    name: "sets fields of several pages",
    tool: "set_fields",
    input: {
      fields: [
        { path: "guides/more.mdx", field: "description", value: "More: all of it" },
        { path: "guides/start.mdx", field: "hidden", value: "true" },
      ],
    },
    report: /^Set the description of `guides\/more\.mdx`[^]*Set the hidden of `guides\/start\.mdx`/,
    added: ['+description: "More: all of it"', "+hidden: true"],
  },
];

const refusals: readonly (readonly [tool: string, input: object, error: RegExp])[] = [
  ["rename_term", { from: "the", to: "a" }, /common English word.*Nothing was changed/],
  ["rename_term", { from: "lamp", to: "light", in: ["none/"] }, /“none\/”.*Nothing was changed/],
  ["repair_links", { in: ["none/"] }, /“none\/”/],
  [
    "set_fields",
    {
      fields: [
        { path: "guides/more.mdx", field: "description", value: "Good" },
        { path: "guides/start.mdx", field: "hidden", value: "maybe" },
      ],
    },
    /must be true or false\. Nothing was changed/,
  ],
  ["set_fields", { fields: [{ path: "Start", field: "icon", value: "x" }] }, /not content|no file/],
];

describe("the tools that carry out recipes", () => {
  for (const { name, tool, input, report, added } of cases) {
    it(name, async (t) => {
      const site = await openAgentSite(t, broken);
      const answer = await site.call(tool, input);
      assert.match(String(answer.report ?? answer.error), report);
      const diff = await site.diff();
      assert.deepEqual(
        diff.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++")),
        added,
      );
    });
  }

  for (const [tool, input, error] of refusals) {
    it(`changes nothing if it cannot do all of it: ${tool} ${JSON.stringify(input)}`, async (t) => {
      const site = await openAgentSite(t, broken);
      assert.match(String((await site.call(tool, input)).error), error);
      assert.equal(await site.diff(), "");
    });
  }

  it("changes nothing if too many files would change", async (t) => {
    const site = await openAgentSite(t, broken, { changedFiles: 1 });
    const answer = await site.call("rename_term", { from: "start", to: "beginning" });
    assert.match(String(answer.error), /at most 1 may change/);
    assert.equal(await site.diff(), "");
  });

  it("does what the instruction does", async (t) => {
    const [asked, told] = [await openAgentSite(t, broken), await openAgentSite(t, broken)];
    const { report } = await asked.call("rename_term", { from: "lamp", to: "lantern" });
    const plan = skipRepeatedCalls(runInstruction('Rename the term "lamp" to "lantern"'));
    let step = plan.next([]);
    while (step.done !== true) {
      const answers: ToolOutput[] = [];
      for (const { tool, input } of step.value) answers.push(await told.call(tool, input));
      step = plan.next(answers);
    }
    assert.equal(report, step.value);
    assert.equal(await asked.diff(), await told.diff());
  });
});
