import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { smallSite } from "../../test/support/agent-site.ts";
import { openAuthor } from "../../test/support/git-fixture.ts";
import { sharedChildren } from "../../test/support/shared-children.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { describeRuns, runTasks } from "./tasks.ts";
import { scoreTask } from "./tasks/score.ts";
import type { TaskResult } from "./tasks/score.ts";
import { scriptAgent, scriptedAgents } from "./tasks/scripts.ts";
import type { TaskCase } from "./tasks/task-case.ts";
import { createHistoryTasks } from "./tasks/task-site.ts";

const children = sharedChildren();

const page = "guides/more.mdx";
const before = "---\ntitle: More\n---\n\n[Back](start) to the lamp, which burns oil.\n";
const changed = "---\ntitle: More\n---\n\n[Back](start) to the lamp, which burns paraffin.\n";

describe("tasks from changes", () => {
  it("tell apart what a person did, nothing, and more than was asked", async () => {
    await using scratch = await temporaryFolder();
    const author = await openAuthor(join(scratch.path, "histories/lantern"));
    await author.commit({ ...smallSite, [page]: before });
    await author.commit({ [page]: changed });
    await author.git("commit", "--quiet", "--amend", "--message=Burn paraffin");
    await author.commit({ [page]: "Later.\n" });
    const task: TaskCase = {
      name: "lamp-fuel",
      site: "lantern",
      change: "Burn paraffin",
      prompt: "The lamp burns paraffin, not oil.",
      stands: [{ file: page, text: "burns paraffin" }],
      gone: [{ file: page, text: "burns oil" }],
    };
    const runner = {
      open: createHistoryTasks(join(scratch.path, "histories"), scratch.path),
      cacheDir: join(scratch.path, "cache"),
      children,
    };
    const runs = [];
    for (const name of scriptedAgents) {
      runs.push(...(await runTasks([task], (person) => scriptAgent(name, person), runner)));
    }
    assert.deepEqual(
      runs.map(({ isDone, isWrong, changed: paths }) => ({ isDone, isWrong, paths })),
      [
        { isDone: true, isWrong: false, paths: [page] },
        { isDone: false, isWrong: false, paths: [] },
        { isDone: false, isWrong: true, paths: [page, "unasked.mdx"] },
      ],
    );
    const text = describeRuns(runs, { input: 3, cachedInput: 3, output: 15 });
    assert.match(text, /\| lamp-fuel \| yes  \| +\| 20 +\| 10 +\| \d+\.\d +\| \$0\.0002 \|/);
    assert.match(text, /\| all 3 +\| 1 +\| 1 +\| 70 +\| 35 /);
    assert.match(text, /- lamp-fuel: guides\/more\.mdx: "burns paraffin" does not stand\n/);
    assert.match(text, /- lamp-fuel: unasked\.mdx was changed/);
  });

  const text = "One\nTwo\nThree\nFour\nFive\nSix\nSeven\nEight\nNine\nTen\n";
  const task: TaskCase = {
    name: "numbers",
    site: "numbers",
    change: "",
    prompt: "Count on.",
    stands: [{ file: "a.mdx", text: /Eleven/ }],
    never: [{ file: "a.mdx", text: "Minus" }],
  };
  const person = [{ path: "a.mdx", before: text, after: `${text}Eleven\n` }];
  const score = (end: string, more: Partial<TaskResult> = {}) =>
    scoreTask(task, {
      changes: [{ path: "a.mdx", before: text, after: end }],
      person,
      read: () => end,
      newProblems: [],
      error: undefined,
      ...more,
    });

  it("are wrong with a false sentence, a lost page, a new problem or another page", () => {
    const rows: readonly (readonly [string, Partial<TaskResult>, RegExp | undefined])[] = [
      [`${text}Number eleven: Eleven.\n`, {}, undefined],
      [`${text}Eleven\nMinus one\n`, {}, /"Minus" stands/],
      ["Eleven\n", {}, /lost 10 lines that the person kept/],
      [`${text}Eleven\n`, { newProblems: ["a.mdx: broken"] }, /new problem: a\.mdx: broken/],
      [
        `${text}Eleven\n`,
        { changes: [{ path: "b.mdx", before: "b", after: "c" }] },
        /b\.mdx was changed/,
      ],
    ];
    for (const [end, more, fault] of rows) {
      const { isDone, isWrong, faults } = score(end, more);
      assert.deepEqual([isDone, isWrong], [fault === undefined, fault !== undefined], end);
      if (fault) assert.match(faults.join("\n"), fault);
    }
  });

  it("are neither done nor wrong if the turn failed, since nothing is published", () => {
    const failed = score(text, { changes: [], error: "The model stopped." });
    assert.deepEqual([failed.isDone, failed.isWrong], [false, false]);
    assert.match(failed.faults.join("\n"), /^failed: The model stopped\./);
  });
});
