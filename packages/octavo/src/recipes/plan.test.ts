import assert from "node:assert/strict";
import { it } from "node:test";
import { callTool, skipRepeatedCalls } from "./plan.ts";
import type { Plan } from "./plan.ts";

it("an edit makes no call necessary again whose answer it cannot change", () => {
  const asked = ["list", "history", "search", "read a", "read b"];
  function* ask(): Plan<string> {
    for (const words of [...asked, "edit a", ...asked]) {
      const [tool = "", path] = words.split(" ");
      yield* callTool(tool, path === undefined ? {} : { path });
    }
    return "done";
  }
  const made: string[] = [];
  const plan = skipRepeatedCalls(ask());
  for (let step = plan.next([]); step.done !== true;) {
    made.push(...step.value.map(({ tool, input }) => [tool, ...Object.values(input)].join(" ")));
    step = plan.next(step.value.map(() => ({})));
  }
  assert.deepEqual(made, [...asked, "edit a", "search", "read a"]);
});
