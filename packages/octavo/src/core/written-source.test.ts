import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatSourceSpec, parseSourceSpec } from "./repository-address.ts";

describe("a written source", () => {
  for (const [text, repository, ref, directory] of [
    ["https://github.com/acme/engine", "https://github.com/acme/engine", null, "."],
    [
      "https://git.example:8443/acme/engine.git@v2.1",
      "https://git.example:8443/acme/engine.git",
      "v2.1",
      ".",
    ],
    [
      "git@github.com:acme/engine@feature/x:packages/core",
      "git@github.com:acme/engine",
      "feature/x",
      "packages/core",
    ],
    ["ssh://git@git.example:22/a:src", "ssh://git@git.example:22/a", null, "src"],
    ["../engine@@acme/core@1.0.0", "../engine", "@acme/core@1.0.0", "."],
    ["engine:src", "engine", null, "src"],
    ["engine@v2.1:src", "engine", "v2.1", "src"],
    ["ada@host.example:src", "ada@host.example:src", null, "."],
    ["file:///srv/git/engine@main", "file:///srv/git/engine", "main", "."],
  ] as const) {
    it(`reads ${text}`, () => {
      const source = { repository, ref, directory };
      assert.deepEqual(
        parseSourceSpec(text, (name) => name === "engine"),
        source,
      );
      assert.equal(formatSourceSpec(source), text);
    });
  }
});
