import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { smallSite } from "../../../../../test/support/agent-site.ts";
import {
  scriptedTurns,
  scriptedWires,
  type ScriptedWire,
} from "../../../../../test/support/scripted-turn.ts";
import type { DrawPage } from "../../core/index.ts";
import type { TurnSettings } from "../task.ts";
import { collectAnswers } from "./comments.ts";

const perform = scriptedTurns();

const files = {
  ...smallSite,
  "guides/deep/two.mdx":
    "---\ntitle: Two\n---\n\nA lamp burns. [Gone](/guides/deeep/one) and [lost](/nowhere).\n\nOld name, old name.\n",
};

/** Calls in order, each with what the model is told. */
const calls: readonly Call[] = [
  [
    "read",
    { path: "guides/deep/two.mdx" },
    /"text":"1\|---\\n2\|title: Two\\n3\|---\\n4\|\\n5\|A lamp/,
  ],
  [
    "rename_term",
    { from: "lamp", to: "lantern", in: ["guides/deep/"] },
    /"changedFiles":1.*1 place in 1 file/,
  ],
  ["repair_links", {}, /`\/guides\/deeep\/one` → `\/guides\/deep\/one`.*`\/nowhere`/],
  [
    "set_fields",
    { fields: [{ path: "guides/deep/two.mdx", field: "icon", value: "star" }] },
    /Set the icon/,
  ],
  ["move", { from: "guides/more.mdx", to: "guides/further.mdx" }, /"changedFiles":\[/],
  [
    "replace",
    { old: "ld name", new: "ther name" },
    /"matches":2,"files":\[\{"path":"guides\/deep\/two\.mdx","matches":2\}\]/,
  ],
  ["replace", { old: "ld name", new: "ther name", apply: 3 }, /now 2 matches.*Nothing was changed/],
  ["replace", { old: "ld name", new: "ther name", apply: 2 }, /"matches":2,"changedFiles":1/],
  [
    "edit",
    {
      path: "guides/deep/two.mdx",
      replacements: [{ old: "8|Other name, other name.", new: "8|One name." }],
    },
    /"changed":1,"note":"Line numbers were left out\."/,
  ],
  [
    "edit",
    { path: "guides/deep/two.mdx", replacements: [{ old: "One name.", new: "8|A name." }] },
    /contains line numbers.*Nothing was changed/,
  ],
  ["check", { path: "guides/deep/two.mdx" }, /"errors":1,"warnings":0.*\/nowhere/],
  [
    "view",
    { path: "guides/deep/two.mdx" },
    /# Two\\nA lantern burns\. Gone and lost\.\\nOne name\.\\n/,
  ],
  [
    "comments",
    {},
    /"id":7,"author":"ada","path":"guides\/deep\/two\.mdx","line":5,"diff":"@@ -5 \+5 @@\\n\+A lamp","texts":\["ada: Say lantern\."\]\}\],"total":1/,
  ],
  ["answer_comment", { id: 8, answer: "Done." }, /no open comment 8\. Comments: 7\./],
  ["answer_comment", { id: 7, answer: "@ada Renamed it, see #3." }, /"answered":true/],
];

const comment = {
  id: 7,
  author: "ada",
  path: "guides/deep/two.mdx",
  line: 5,
  diff: "@@ -5 +5 @@\n+A lamp",
  texts: ["ada: Say lantern."],
};

/** A tool's name, the model's input, and what the model is told. */
type Call = readonly [name: string, input: object, output: RegExp];

/** Has a scripted model make these calls, one after the other. */
async function makeCalls(
  t: TestContext,
  wire: ScriptedWire,
  toCall: readonly Call[],
  options: Pick<TurnSettings, "comments" | "drawPage">,
) {
  const script = toCall.map(([name, input]) => ({ toolCalls: [{ name, input }] }));
  const made = await perform(t, wire, [...script, { text: "Done." }], { ...options, files });
  assert.equal(made.result.outcome, "completed", made.result.error?.message);
  return made;
}

describe("the tools of a scripted model", () => {
  for (const wire of scriptedWires) {
    const [provider] = wire;
    it(`work over the wire format of ${provider}`, async (t) => {
      const { requests, entries } = await makeCalls(t, wire, calls, { comments: [comment] });
      const { messages = [] } = requests.at(-1)?.conversation ?? {};
      const told = messages.flatMap((message) =>
        message.from === "tool" ? [JSON.stringify(message.output)] : [],
      );
      for (const [at, [name, input, output]] of calls.entries()) {
        assert.match(told[at] ?? "", output, `${name} ${JSON.stringify(input)}`);
      }
      assert.deepEqual(collectAnswers(entries), [{ id: 7, text: "`@ada` Renamed it, see `#3`." }]);
      // Only the calls that changed files are made again on another checkout.
      const changing = entries.flatMap((entry) =>
        entry.type === "tool" && entry.hasChanged ? [entry.tool] : [],
      );
      assert.deepEqual(
        changing,
        "rename_term repair_links set_fields move replace edit".split(" "),
      );
    });

    it(`show a page as a picture over the wire format of ${provider}`, async (t) => {
      const jpeg = Buffer.from("A drawn page");
      const documents: string[] = [];
      const drawPage: DrawPage = async (document) => {
        documents.push(document);
        return { jpeg, height: 3_000, drawnHeight: 2_400 };
      };
      const view = ["view", { path: "guides/start.mdx", picture: true }, /./] as const;
      const { requests } = await makeCalls(t, wire, [view], { drawPage });
      const last = requests.at(-1)?.text ?? "";
      const isSeen = last.includes(jpeg.toString("base64"));
      // A model of an unknown server is not known to see pictures, so the tool does not offer one.
      assert.equal(isSeen, provider !== "compatible");
      assert.equal(
        last.includes("The picture shows the first 2400 of the page's 3000 pixels."),
        isSeen,
      );
      if (!isSeen) return;
      const [document = ""] = documents;
      assert.match(document, /<style>[^]*--[^]*<\/style>/);
      assert.match(document, /<img [^>]*src="data:image\/png;base64,iVBORw==/);
      assert.doesNotMatch(document, /<script|<link rel="stylesheet"/);
    });
  }
});
