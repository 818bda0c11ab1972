import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { resolveRealPath } from "../core/index.ts";
import { parsePage } from "./parse-page.ts";

const sites = process.env["OCTAVO_SITES"];
const skip = sites === undefined ? "OCTAVO_SITES does not name a folder of sites" : false;

test("every page of real sites is parsed without an error", { skip }, async () => {
  const folders = await readdir(sites ?? "", { withFileTypes: true });
  let pages = 0;
  for (const folder of folders.filter((entry) => entry.isDirectory())) {
    const root = join(sites ?? "", folder.name);
    const read = async (path: string) => {
      const real = await resolveRealPath(root, path).catch(() => undefined);
      return real === undefined ? undefined : readFile(real, "utf8");
    };
    const entries = await readdir(root, { recursive: true });
    for (const file of entries.filter((path) => /\.mdx?$/.test(path))) {
      const source = await readFile(join(root, file), "utf8");
      const page = await parsePage({
        file,
        format: file.endsWith(".mdx") ? "mdx" : "md",
        source,
        variables: {},
        readFile: read,
        isKnownComponent: () => true,
      });
      const errors = page.problems.filter(({ severity }) => severity === "error");
      assert.deepEqual(errors, [], `${folder.name}/${file}`);
      assert.doesNotMatch(JSON.stringify(page), /[\uFDD0-\uFDEF]/, "a mark was not restored");
      pages++;
    }
  }
  assert.ok(pages > 0);
});
