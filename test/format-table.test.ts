import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";

const table = join(import.meta.dirname, "../docs/reference/format.mdx");

interface Row {
  readonly feature: string;
  readonly state: string;
  readonly why: string;
  readonly site: string;
}

suite("the table of the format's features", async () => {
  const rows = rowsOf(await readFile(table, "utf8"));
  assert.ok(rows.length > 50);
  for (const { feature, state, why, site } of rows) {
    test(feature, () => {
      assert.match(state, /^(?:yes|partly|no)$/);
      if (state !== "yes") assert.notEqual(why, "", "what is missing has a reason");
      if (state === "no" && site === "") return;
      if (state === "partly" && site === "") return;
      const expected = join(import.meta.dirname, "sites", site, "expected");
      assert.ok(site !== "" && existsSync(expected), `${site} has nothing that is expected`);
    });
  }
});

function rowsOf(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (?:---|feature)/.test(line))
    .map((line) => {
      const [, feature = "", state = "", why = "", site = ""] = line
        .split("|")
        .map((cell) => cell.trim());
      return { feature, state, why, site: site.replaceAll("`", "") };
    });
}
