/** The manual, as its readers find it. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { loadConfig } from "../packages/octavo/src/config/index.ts";
import { documentText, parseDocument, type Element } from "./support/document.ts";
import { exportedSite } from "./support/exported-site.ts";

const maxItemWords = 80;
/** Elements inside an item that are read by themselves. */
const ownBlocks = new Set(["ol", "pre", "table", "ul"]);
const docs = resolve(import.meta.dirname, "../docs");

function countWords(node: Element["childNodes"][number]): number {
  if ("value" in node) return node.value.split(/\s+/).filter((word) => word !== "").length;
  if (!("childNodes" in node) || ownBlocks.has(node.nodeName)) return 0;
  return node.childNodes.reduce((sum, child) => sum + countWords(child), 0);
}

test("the manual has no problems", async () => {
  const { result } = await exportedSite("docs");
  assert.deepEqual(result.problems, []);
});

test("list items and cells of the manual have at most 80 words", async () => {
  const { folder } = await exportedSite("docs");
  const long: string[] = [];
  for (const file of globSync("**/*.html", { cwd: folder })) {
    for (const element of parseDocument(readFileSync(join(folder, file), "utf8")).elements) {
      if (element.tagName !== "li" && element.tagName !== "td") continue;
      const words = element.childNodes.reduce((sum, child) => sum + countWords(child), 0);
      if (words > maxItemWords)
        long.push(`${file}: ${words} words, ${documentText(element).slice(0, 60)}`);
    }
  }
  assert.deepEqual(long, []);
});

test("the manual has a row for each setting, in tables of at most a dozen", () => {
  const page = readFileSync(join(docs, "operate/settings.mdx"), "utf8");
  const { settings } = loadConfig({ env: {}, flags: {}, cwd: "/" });
  const rows = page.split("\n").filter((line) => /^\| `[A-Z]/.test(line));
  const named = rows.flatMap((row) =>
    Array.from((row.split(" | ", 1)[0] ?? "").matchAll(/`(\w+)`/g), ([, name = ""]) => name),
  );
  assert.deepEqual(
    named.toSorted((one, other) => one.localeCompare(other)),
    settings.map(({ name }) => name).toSorted((one, other) => one.localeCompare(other)),
  );
  for (const table of page.split("\n\n").filter((part) => part.startsWith("| variable"))) {
    assert.ok(table.split("\n").length <= 2 + 12, table);
  }
});

test("the first pages of a newcomer do not speak of plans", () => {
  for (const file of ["../README.md", "index.mdx", "quickstart.mdx"]) {
    const text = readFileSync(join(docs, file), "utf8");
    assert.doesNotMatch(text, /\b(?:plans?|pricing|enterprise)\b/i, file);
  }
});
