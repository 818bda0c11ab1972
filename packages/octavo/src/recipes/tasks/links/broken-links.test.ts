import assert from "node:assert/strict";
import { test } from "node:test";
import { parseBrokenLinks } from "./broken-links.ts";

const problem = (target: string, page: string) => ({
  severity: "warning",
  code: "anchor_broken",
  message: `The link ${JSON.stringify(target)} points to an anchor that the page /${page} does not have. Did you mean "#night-rates"?`,
  file: "index.mdx",
});

test("an anchor on the first page of a folder that the link names is a link of which nobody knows the page", () => {
  const [index, folder] = parseBrokenLinks([
    problem("/lamps#Night-Rates", "lamps/index"),
    problem("/lamps#Night-Rates", "lamps/care"),
  ]);
  assert.deepEqual([index?.kind, index?.anchorPage], ["anchor", "lamps/index"]);
  assert.deepEqual([folder?.kind, folder?.suggestedId], ["link", undefined]);
});
