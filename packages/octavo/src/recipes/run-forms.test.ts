import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseInstruction } from "./instruction/parse-instruction.ts";
import type { Plan } from "./plan.ts";
import { findBrokenInvariant, type Change } from "./run-forms.ts";
import { openTestSite, work, type Files, type TestSite } from "./site.test-support.ts";

/** Carries out a plan on a site. */
function carryOut<T>(site: TestSite, plan: Plan<T>): T {
  let step = plan.next([]);
  while (step.done !== true) {
    step = plan.next(step.value.map(({ tool, input }) => site.call(tool, input)));
  }
  return step.value;
}

/** Returns the invariant that an edit violates, as if a recipe had made it. */
function faultOf(instruction: string, before: string, after: string): string | undefined {
  const [asked] = parseInstruction(instruction);
  assert.ok(asked);
  const changes: Change[] = [{ tool: "edit", path: "a.mdx", before }];
  return carryOut(openTestSite({ "a.mdx": after }), findBrokenInvariant(asked, changes));
}

const broken: readonly (readonly [name: string, instruction: string, before: string, after: string, fault: RegExp])[] = [
  ["doing it again would change something", "Rename 'one' to 'two'", "one, one", "two, one", /repeating it would change a\.mdx/],
  ["a word is lost", "Rename 'one' to 'two'", "one and more", "two", /the word “and” would be lost/],
  ["a word is new", "Rename 'one' to 'two'", "one", "two 0", /the word “0” would be added/],
  ["a term is doubled", "Rename 'Inspector' to 'MCP Inspector'", "MCP Inspector", "MCP MCP Inspector", /would be repeated/],
  ["a description is not the page's", "Fill in missing descriptions", "---\ntitle: A\n---\n\nOne.", "---\ntitle: A\ndescription: Two.\n---\n\nOne.", /“two” would be added/],
  ["another field is lost", "Set the title of a to 'B'", "---\ntitle: A\n---\n\nOne two.", "---\ntitle: B\n---\n\nOne.", /“two” would be lost/],
  ["words change with a link", "Fix the broken links", "[one](/a)", "[two](/b)", /“one” would be lost/],
]; // prettier-ignore

describe("a recipe's result", () => {
  for (const [name, instruction, before, after, fault] of broken) {
    it(`is found out where ${name}`, () => {
      assert.match(faultOf(instruction, before, after) ?? "", fault);
    });
  }

  it("is found out where it holds a value that the instruction does not", () => {
    const [asked] = parseInstruction("Set the title of a to 'B'");
    assert.ok(asked?.task.kind === "set_field");
    const wrong = { ...asked, task: { ...asked.task, value: "0" } };
    const plan = findBrokenInvariant(wrong, [{ tool: "edit", path: "a.mdx", before: "" }]);
    assert.match(
      carryOut(openTestSite({}), plan) ?? "",
      /would write 0, which the instruction does not contain/,
    );
  });

  it("passes where nothing but what was asked for changed", () => {
    assert.equal(faultOf("Rename 'one' to 'two'", "An one, `one`.", "A two, `one`."), undefined);
  });
});

async function refusalOf(site: TestSite, instruction: string): Promise<string> {
  try {
    await work(site, instruction);
  } catch (error) {
    return error instanceof Error ? error.message : "";
  }
  return assert.fail("It is done.");
}

describe("a job of which a part cannot be done", () => {
  const files: Files = {
    "docs.json": '{"navigation": {"groups": [{"group": "Guides", "pages": ["a"]}]}}',
    "a.mdx": "---\ntitle: A\n---\n\nOne, recieve.\n",
    "b.mdx": "---\ntitle: B\n---\n\nOne.\n",
  };

  for (const first of [
    "Rename 'One' to 'Two'",
    "Fix typos",
    "Set the title of a to 'C'",
    "Add a page 'D' to the group Guides",
    "Redirect x to a",
  ]) {
    it(`gives back what it changed before: ${first}`, async () => {
      const site = openTestSite(files);
      const refusal = await refusalOf(site, `${first}\nDelete the page nowhere`);
      assert.match(refusal, /the site has no page “nowhere”\. Nothing was changed\./);
      assert.deepEqual(Object.fromEntries(site.files), files);
    });
  }
});

describe("more files than one answer lists", () => {
  it("are all looked at", async () => {
    const many = Array.from({ length: 2_100 }, (_, at) => [`p${at + 1_000}.mdx`, ""] as const);
    const site = openTestSite({ ...Object.fromEntries(many), "z.mdx": "Inspector\n" });
    await work(site, "Rename the term 'Inspector' to 'Watcher'");
    assert.equal(site.files.get("z.mdx"), "Watcher\n");
  });
});

describe("more files than may change", () => {
  const page = "Inspector\n";
  const files = {
    "one/a.mdx": page,
    "one/b.mdx": page,
    "two/c.mdx": page,
    "two/deep/d.mdx": page,
    "two/deep/e.mdx": page,
  };

  it("are not changed, none of them; the folders that fit are shown", async () => {
    const site = openTestSite(files, { maxChangedFiles: 2 });
    const refusal = await refusalOf(site, "Rename 'Inspector' to 'Watcher'");
    assert.match(refusal, /5 files would change, and at most 2 may change at once/);
    const shown = refusal.split("\n").filter((line) => line.startsWith("    "));
    assert.deepEqual(shown, [
      "    Rename 'Inspector' to 'Watcher' in one/",
      "    Rename 'Inspector' to 'Watcher' in two/deep/",
    ]);
    assert.deepEqual(Object.fromEntries(site.files), files);
    for (const form of shown) await work(openTestSite(files, { maxChangedFiles: 2 }), form);
  });

  it("are given back where a tool alone knows the limit", async () => {
    const site = openTestSite(files);
    let edits = 0;
    const call: TestSite["call"] = (tool, input) => {
      if (tool !== "edit" || ++edits <= 3) return site.call(tool, input);
      return { error: "This would change 4 files; at most 3 may change. Nothing was changed." };
    };
    const refusal = await refusalOf({ ...site, call }, "Rename 'Inspector' to 'Watcher'");
    assert.match(refusal, /at most 3 may change/);
    assert.deepEqual(Object.fromEntries(site.files), files);
  });
});
