import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countLosses, groupProblems, type Problem } from "./problem.ts";

function createProblem(code: string, severity: Problem["severity"], message = code): Problem {
  return { severity, code, message, file: "a.mdx" };
}

describe("what readers lose", () => {
  const problems = [
    createProblem("anchor_broken", "warning"),
    createProblem("redirect_loop", "error"),
    ...["a", "b", "c"].map((name) => createProblem("link_broken", "error", name)),
    ...["d", "d"].map((name) => createProblem("media_missing", "error", name)),
    createProblem("operation_missing", "error"),
    createProblem("description_missing", "error"),
    createProblem("folder_unreadable", "error"),
  ];

  it("is counted, the gravest first", () => {
    assert.deepEqual(countLosses(problems), [
      { name: "API operation", count: 1 },
      { name: "embedded file", count: 2 },
      { name: "link", count: 3 },
    ]);
    assert.deepEqual(countLosses([createProblem("link_broken", "warning")]), []);
  });

  it("comes before other errors, and errors before warnings", () => {
    assert.deepEqual(
      groupProblems(problems).map(({ message }) => message),
      [
        "folder_unreadable",
        "operation_missing",
        "description_missing",
        "d",
        "a",
        "b",
        "c",
        "redirect_loop",
        "anchor_broken",
      ],
    );
  });
});
