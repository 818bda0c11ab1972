import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openAuthor } from "../../../../../test/support/git-fixture.ts";
import { setUp } from "../cli.test-support.ts";

describe("--source", () => {
  it("reads committed files of a folder, and says which it cannot read", async (t) => {
    const { cwd, octavo } = await setUp(t);
    const engine = await openAuthor(join(cwd, "engine"));
    const commit = await engine.commit({ "src/cli.ts": "x\n" });
    await engine.git("tag", "v2.1");
    const args = ["agent", "docs", "Fix the broken links", "--no-cache"];
    const { code, stderr } = await octavo(
      ...args,
      "--source",
      "engine@v2.1:src",
      "--source",
      "engine@v3",
      "--source",
      "docs",
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, new RegExp(`^  source engine at ${commit.slice(0, 12)}$`, "m"));
    assert.match(stderr, /^  source engine-2 cannot be read: .*no branch, tag or commit "v3"/m);
    assert.match(
      stderr,
      /^  source docs cannot be read: The repository file:\/\/.*docs cannot be read/m,
    );
    const shown = await octavo(...args, "--source", "engine", "--show-request");
    assert.match(shown.stdout, /^=== system: sources\nThe sources\n/m);
    assert.match(shown.stdout, /^=== tool: source_diff$/m);
  });

  for (const [source, words] of [
    ["nowhere", /neither an address nor a folder/],
    ["docs@--x", /the ref or folder/],
    ["docs:../..", /the ref or folder/],
    ["@", /consists of a repository/],
  ] as const) {
    it(`refuses ${source}`, async (t) => {
      const { octavo } = await setUp(t);
      const { code, stderr } = await octavo(
        "agent",
        "docs",
        "Fix the broken links",
        "--source",
        source,
      );
      assert.notEqual(code, 0);
      assert.match(stderr, words);
    });
  }
});
