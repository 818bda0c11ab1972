import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatToolCall } from "./describe-tool-call.ts";

describe("a line about a search", () => {
  const cases: [tool: string, input: object, line: string][] = [
    ["search", { query: "Night (rates)" }, "Searched for Night (rates): 2 lines"],
    [
      "search",
      { query: "retries|time out", isRegex: true },
      "Searched for retries|time out: 2 lines",
    ],
    ["search", { query: String.raw`(?:\]\(|\bhref=["'])`, isRegex: true }, "Searched for a pattern: 2 lines"], // prettier-ignore
    ["source_search", { source: "engine", query: "max_\\w+", isRegex: true }, "Searched for a pattern in the source engine: 2 lines"], // prettier-ignore
    ["search", { query: 7, isRegex: true }, "Searched for a pattern: 2 lines"],
  ];
  for (const [tool, input, line] of cases) {
    it(line, () => {
      const call = { tool, input, output: { total: 2 }, status: "done" } as const;
      assert.equal(formatToolCall(call), line);
    });
  }
});
