import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { TestContext } from "node:test";
import { folderFor, openAuthor } from "../../../../../test/support/git-fixture.ts";
import { scriptedModel } from "../../../../../test/support/scripted-model.ts";
import type { ScriptedModel, ScriptedStep } from "../../../../../test/support/scripted-model.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { openTestSource } from "../../../../../test/support/turn-source.ts";
import type { TestSource } from "../../../../../test/support/turn-source.ts";
import { collectCitations } from "../citations/citation-section.ts";
import { defaultAgentLimits } from "../limits.ts";
import type { AgentLimits } from "../limits.ts";
import { performTurn } from "../task.ts";
import { createMemoryTranscript } from "../transcript.ts";
import type { Transcript } from "../transcript.ts";
import type { TurnSource } from "./turn-source.ts";
import { sharedChildren } from "../../../../../test/support/shared-children.ts";

const children = sharedChildren();
let cache: TemporaryFolder;
before(async () => {
  cache = await temporaryFolder();
});
after(() => cache[Symbol.asyncDispose]());

const site = {
  "docs.json": JSON.stringify({ name: "Lantern", navigation: { pages: ["index"] } }),
  "index.mdx": "---\ntitle: Home\n---\n\nUse `--depth`.\n",
};
const engine = { "src/cli.ts": 'flag("--max-depth");\n' };

const describing = (description: string): ScriptedStep => ({
  calls: [["describe", { title: "Name the new flag", description }]],
});

interface Options {
  readonly sources?: readonly TurnSource[];
  readonly transcript?: Transcript;
  readonly limits?: Partial<AgentLimits>;
}

/** Performs a turn on the site, with the source `engine` by default. */
async function perform(
  t: TestContext,
  script: (source: TestSource) => readonly ScriptedStep[],
  { sources, transcript = createMemoryTranscript(), limits }: Options = {},
) {
  const folder = await folderFor(t);
  const author = await openAuthor(join(folder, "checkout"));
  await author.commit(site);
  const source = await openTestSource(folder, "engine.git", engine);
  const model = scriptedModel(script(source));
  const result = await performTurn({
    checkout: author.folder,
    siteDir: ".",
    pullRequest: { convention: "plain" },
    sources: sources ?? [source],
    model,
    instruction: { id: "1", text: "Bring the pages up to date." },
    transcript,
    limits: { ...defaultAgentLimits, ...limits },
    cacheDir: cache.path,
    workers: 1,
    children,
    signal: new AbortController().signal,
  });
  const messages = transcript.entries().filter((entry) => entry.type === "message");
  const outputs = transcript
    .entries()
    .flatMap((entry) => (entry.type === "tool" ? [entry.output] : []));
  return { result, model, source, transcript, messages, outputs };
}

const edit: ScriptedStep = {
  calls: [["edit", { path: "index.mdx", replacements: [{ old: "--depth", new: "--max-depth" }] }]],
};
const read: ScriptedStep = { calls: [["source_read", { path: "src/cli.ts" }]] };
const cite = ({ commit }: TestSource, words = "--max-depth") =>
  `The flag has a new name: engine@${commit.slice(0, 12)}:src/cli.ts:1 "${words}".`;

describe("a turn with sources", () => {
  it("tells the model of them, and records what it cites", async (t) => {
    const { result, model, source, transcript, outputs } = await perform(t, (own) => [
      read,
      edit,
      cite(own),
    ]);
    assert.equal(result.outcome, "completed");
    assert.deepEqual(outputs[0], {
      source: "engine",
      commit: source.commit.slice(0, 12),
      path: "src/cli.ts",
      text: '1|flag("--max-depth");\n',
      totalLines: 1,
    });
    assert.match(systemOf(model), /^- engine: file:\/\/.*\/engine\.git, its default branch, at /m);
    const { citations, unread } = collectCitations(transcript.entries());
    assert.deepEqual(citations, [
      {
        source: "engine",
        repository: source.repository,
        commit: source.commit,
        path: "src/cli.ts",
        line: 1,
        endLine: 1,
        words: "--max-depth",
      },
    ]);
    assert.deepEqual(unread, []);
  });

  it("returns a false citation to the model, which may correct it", async (t) => {
    const { result, messages } = await perform(t, (own) => [
      read,
      edit,
      cite(own, "--depth-max"),
      cite(own),
    ]);
    assert.equal(result.outcome, "completed");
    assert.match(result.summary ?? "", /"--max-depth"/);
    assert.deepEqual(
      messages.map(({ reason }) => reason),
      [undefined, "false_citations"],
    );
    assert.match(
      messages[1]?.text ?? "",
      /:src\/cli\.ts:1: the words "--depth-max" are not there\./,
    );
  });

  it("fails with a false citation that is not corrected", async (t) => {
    const { result, messages } = await perform(t, (own) => [read, edit, cite(own, "--depth-max")]);
    assert.equal(result.outcome, "failed");
    assert.match(
      result.error?.message ?? "",
      /no pull request was opened or changed.*"--depth-max"/,
    );
    assert.equal(messages.filter(({ reason }) => reason === "false_citations").length, 3);
  });

  it("returns a false citation in the pull request's description, which may be corrected", async (t) => {
    const { result, messages, transcript } = await perform(t, (own) => [
      edit,
      describing(cite(own, "--depth-max")),
      "Done.",
      describing(cite(own)),
      cite(own),
    ]);
    assert.equal(result.outcome, "completed");
    assert.match(result.description?.description ?? "", /"--max-depth"/);
    assert.deepEqual(
      messages.map(({ reason }) => reason),
      [undefined, "false_citations"],
    );
    assert.match(messages[1]?.text ?? "", /call describe again.*"--depth-max" are not there/s);
    assert.equal(collectCitations(transcript.entries()).citations.length, 1);
  });

  it("fails with a false citation in the description that is not corrected", async (t) => {
    const { result } = await perform(t, (own) => [
      edit,
      describing(cite(own, "--depth-max")),
      cite(own),
    ]);
    assert.equal(result.outcome, "failed");
    assert.match(result.error?.message ?? "", /"--depth-max"/);
    assert.equal(result.description, null);
  });

  it("takes a citation in the description for one of the answer", async (t) => {
    const { result, messages, transcript } = await perform(t, (own) => [
      read,
      edit,
      describing(cite(own)),
      "Done.",
    ]);
    assert.equal(result.outcome, "completed");
    assert.equal(messages.length, 1);
    assert.equal(collectCitations(transcript.entries()).citations.length, 1);
  });

  it("asks once for citations where a source was read and none is given", async (t) => {
    const asked = await perform(t, (own) => [read, edit, "Done.", cite(own)]);
    assert.equal(asked.result.outcome, "completed");
    assert.equal(collectCitations(asked.transcript.entries()).citations.length, 1);
    const none = await perform(t, () => [read, edit, "Done.", "Nothing came from them."]);
    assert.equal(none.result.outcome, "completed");
    assert.deepEqual(
      none.messages.map(({ reason }) => reason),
      [undefined, "no_citations"],
    );
    const unread = await perform(t, () => [edit, "Done."]);
    assert.deepEqual(unread.messages.length, 1);
  });

  it("publishes no false words, and no false description, where a limit ended the turn", async (t) => {
    const { result, transcript } = await perform(
      t,
      (own) => [
        edit,
        describing(cite(own, "nonsense")),
        {
          result: { content: [{ type: "text", text: cite(own, "nonsense") }, ...callOf("check")] },
        },
      ],
      { limits: { steps: 3 } },
    );
    assert.equal(result.outcome, "completed");
    assert.equal(result.limit, "3 model replies");
    assert.equal(result.description, null);
    assert.doesNotMatch(result.summary ?? "", /nonsense/);
    assert.deepEqual(collectCitations(transcript.entries()).citations, []);
  });

  it("goes on with the commits that it began with, and tells the model the same", async (t) => {
    const transcript = createMemoryTranscript();
    const folder = await folderFor(t);
    const source = await openTestSource(folder, "engine.git", engine);
    const first = await perform(t, () => [read, { error: new Error("The worker dies here.") }], {
      sources: [source],
      transcript,
    }).catch(() => undefined);
    await source.author.commit({ "src/cli.ts": "moved on\n" });
    const again = await perform(
      t,
      () => [{ calls: [["source_read", { path: "src/cli.ts", lines: 1 }]] }, "Done."],
      {
        sources: [source],
        transcript,
      },
    );
    assert.deepEqual(source.opened, [undefined, source.commit]);
    assert.match(JSON.stringify(again.outputs.at(-1)), /--max-depth/);
    const systems = [first, again].flatMap(
      (one) => one?.model.asked.map(({ prompt }) => prompt[0]) ?? [],
    );
    for (const system of systems) assert.deepEqual(system, systems[0]);
  });

  it("goes on without a source that cannot be read, and says why", async (t) => {
    const folder = await folderFor(t);
    const good = await openTestSource(folder, "engine.git", engine);
    const noFolder = await openTestSource(folder, "cli.git", engine, { directory: "lib" });
    const noTag = await openTestSource(folder, "sdk.git", engine, { ref: "v9" });
    const { result, model, outputs, transcript } = await perform(
      t,
      () => [
        { calls: [["source_read", { source: "cli", path: "src/cli.ts" }]] },
        { calls: [["source_read", { path: "src/cli.ts" }]] },
        { calls: [["source_read", { source: "other", path: "src/cli.ts" }]] },
        "Nothing to do.",
      ],
      { sources: [good, noFolder, noTag] },
    );
    assert.equal(result.outcome, "completed");
    assert.match(String(outputs[0]?.["error"]), /^cli cannot be read: There is no folder "lib"/);
    assert.match(
      String(outputs[1]?.["error"]),
      /^Name the source\. The sources are: engine, cli, sdk\./,
    );
    assert.match(String(outputs[2]?.["error"]), /^There is no source "other"\./);
    const system = systemOf(model);
    assert.match(
      system,
      /^- cli: .*cannot be read in this turn: There is no folder "lib" in the repository/m,
    );
    assert.match(
      system,
      /^- sdk: .*cannot be read in this turn: The repository has no branch, tag or commit "v9"/m,
    );
    const { unread } = collectCitations(transcript.entries());
    assert.deepEqual(
      unread.map(({ name }) => name),
      ["cli", "sdk"],
    );
  });

  it("has no tools for sources where none can be read, and none is told of where there are none", async (t) => {
    const toolsOf = async (sources: readonly TurnSource[]) => {
      const { model } = await perform(t, () => ["Nothing to do."], { sources });
      const names = model.asked[0]?.tools?.map(({ name }) => name) ?? [];
      return {
        names: names.filter((name) => name.startsWith("source_")),
        system: systemOf(model),
      };
    };
    const folder = await folderFor(t);
    const broken = await openTestSource(folder, "sdk.git", engine, { ref: "v9" });
    assert.deepEqual((await toolsOf([broken])).names, []);
    const without = await toolsOf([]);
    assert.deepEqual(without.names, []);
    assert.doesNotMatch(without.system, /The sources/);
  });
});

function systemOf({ asked }: ScriptedModel): string {
  const [system] = asked[0]?.prompt ?? [];
  return system?.role === "system" ? system.content : "";
}

function callOf(toolName: string) {
  return [{ type: "tool-call" as const, toolCallId: "call-x", toolName, input: "{}" }];
}
