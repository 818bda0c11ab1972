import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { setUp } from "../cli.test-support.ts";

test("an export of all pages finds a broken link that one of named pages did not look for", async (t) => {
  const { cwd, octavo } = await setUp(t);
  // So many that what is known of their links is kept.
  const pages = Array.from({ length: 20 }, (_, at) => `p${at}`);
  await writeFiles(join(cwd, "many"), {
    "docs.json": JSON.stringify({
      name: "Many",
      theme: "mint",
      colors: { primary: "#0f766e" },
      navigation: { pages },
    }),
    ...Object.fromEntries(pages.map((page) => [`${page}.md`, `# ${page}\n`])),
    "p0.md": "# p0\n\n[No](nowhere.md)\n",
  });
  const options = ["--cache", "kept", "--json"];
  const named = ["--paths", pages.join()];
  const part = await octavo("export", "many", "--out", "part", ...named, ...options);
  assert.doesNotMatch(part.stdout, /link_broken/);
  const whole = await octavo("export", "many", "--out", "whole", ...options);
  assert.match(whole.stdout, /link_broken/);
});
