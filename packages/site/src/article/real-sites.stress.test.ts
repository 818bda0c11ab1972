import { resolveRealPath } from "../core/index.ts";
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { assertWhole, openPages } from "./open-pages.test-support.ts";

const sites = process.env["OCTAVO_SITES"];
suite(
  "real sites",
  { skip: sites === undefined && "OCTAVO_SITES names no folder of sites" },
  () => {
    for (const name of ["mcp", "fastmcp", "mintlify"]) {
      test(`${name}: every page is complete`, async () => {
        const root = join(sites ?? "", name);
        const paths = (await readdir(root, { recursive: true })).filter(
          (path) => !path.startsWith("."),
        );
        const { pages, render } = openPages(paths.toSorted(), async (path) => {
          const file = await resolveRealPath(root, path).catch(() => undefined);
          return file === undefined ? undefined : readFile(file, "utf8");
        });
        assert.ok(pages.length > 300);
        for (const page of pages) assertWhole(await render(page), page.file);
      });
    }
  },
);
