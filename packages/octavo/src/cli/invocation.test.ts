import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatCommandLine, formatInvocation, quoteShellWord } from "./invocation.ts";

const npmRun = { npm_lifecycle_event: "octavo", npm_package_json: "/src/octavo/package.json" };
const script = "/src/octavo/packages/octavo/bin/octavo.js";

describe("how the program was started", () => {
  const starts: [
    expected: string,
    env: Record<string, string>,
    invocationDir: string,
    script: string,
  ][] = [
    ["npm run octavo --", npmRun, "/src/octavo", script],
    ["npm run octavo --", npmRun, "/src/octavo/docs", script],
    ["npm --prefix /src/octavo run octavo --", npmRun, "/src", script],
    ["npm --prefix /src/octavo run octavo --", npmRun, "/src/octavo-site", script],
    ["npx octavo", {}, "/site", "/site/node_modules/.bin/octavo"],
    ["npx octavo", { npm_lifecycle_event: "docs" }, "/", "/site/node_modules/.bin/octavo"],
    ["octavo", { PATH: "/bin:/usr/local/bin" }, "/", "/usr/local/bin/octavo"],
    ["/opt/tools/octavo", { PATH: "/bin" }, "/", "/opt/tools/octavo"],
    [`node ${script}`, {}, "/", script],
    ["node '/my tools/octavo.js'", {}, "/", "/my tools/octavo.js"],
  ];
  for (const [expected, env, invocationDir, started] of starts) {
    it(`${expected}, from ${invocationDir}`, () => {
      assert.equal(formatInvocation({ env, invocationDir, script: started }), expected);
    });
  }
});

describe("shell words", () => {
  it("are quoted if necessary", () => {
    for (const word of ["docs", "/a/b-c_d.e", "--out", "a=b", "x@y:z,w%+"]) {
      assert.equal(quoteShellWord(word), word);
    }
    assert.equal(quoteShellWord(""), "''");
    assert.equal(quoteShellWord("my docs"), "'my docs'");
    assert.equal(quoteShellWord("it's $HOME"), String.raw`'it'\''s $HOME'`);
    const context = { invocation: "npx octavo" };
    assert.equal(formatCommandLine(context, ["check", "my docs"]), "npx octavo check 'my docs'");
  });
});
