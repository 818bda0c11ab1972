import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSourceNames } from "./open-sources.ts";

describe("names of sources", () => {
  for (const [repositories, names] of [
    [["https://github.com/acme/engine.git"], ["engine"]],
    [
      ["git@github.com:acme/engine", "https://git.example:8443/acme/cli/"],
      ["engine", "cli"],
    ],
    [
      ["https://github.com/acme/engine", "https://github.com/other/engine"],
      ["acme/engine", "other/engine"],
    ],
    [
      ["https://a.example/acme/engine", "https://b.example/acme/engine"],
      ["a.example/acme/engine", "b.example/acme/engine"],
    ],
    [
      ["https://github.com/acme/engine", "https://github.com/acme/engine"],
      ["engine", "engine-2"],
    ],
    [
      ["local", "file:///srv/git/a b%20c@d\u202E.git"],
      ["local", "a-b-20c-d-"],
    ],
    [["https://host.example/--output=x"], ["output-x"]],
    [["https://host.example/.."], ["source"]],
  ] as const) {
    it(`tell ${repositories.join(" and ")} apart`, () => {
      assert.deepEqual(createSourceNames(repositories), names);
    });
  }
});
