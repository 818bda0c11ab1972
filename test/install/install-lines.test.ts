/** No line that people paste installs Octavo by a name that somebody else could register. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, it } from "node:test";

const repository = resolve(import.meta.dirname, "../..");
const files = globSync(
  [
    "README.md",
    "CONTRIBUTING.md",
    "action.yml",
    "docs/**/*.mdx",
    "packaging/**/*.{yml,yaml,service,md}",
    "packages/*/README.md",
    "packages/octavo/{starter,demo}/**/*.mdx",
  ],
  { cwd: repository },
);
const name = /(?:@octavo\/site|octavo)(?![\w./-])/.source;
const forbidden: readonly RegExp[] = [
  new RegExp(String.raw`\bnpx (?!--no -- )(?:-\S+ )*${name}`),
  new RegExp(
    String.raw`\b(?:npm (?:install|i|add|exec)|pnpm (?:add|dlx)|yarn (?:add|dlx)|bunx)\b[^\n]*[ "]${name}`,
  ),
];

describe("lines that install or run Octavo", () => {
  it("are looked for in many files", () => {
    assert.ok(files.length > 60, `${files.length} files`);
  });

  for (const file of files) {
    it(`take nothing by its name from a registry in ${file}`, () => {
      const text = readFileSync(join(repository, file), "utf8");
      for (const pattern of forbidden) assert.doesNotMatch(text, pattern);
    });
  }

  const lines: readonly (readonly [isRefused: boolean, line: string])[] = [
    [true, "npx octavo check docs"],
    [true, "npx --yes octavo check docs"],
    // npx would take the program's own options.
    [true, "npx --no octavo check docs --format github"],
    [true, "npm install --global octavo"],
    [true, 'npm install "octavo@0.1.0"'],
    [true, "pnpm add -D @octavo/site"],
    [false, "npx --no -- octavo check docs"],
    [false, "npm install --global ./octavo-site-0.1.0.tgz ./octavo-0.1.0.tgz"],
    [false, "npm run octavo -- check docs"],
  ];
  for (const [isRefused, line] of lines) {
    it(`${isRefused ? "refuses" : "accepts"} ${line}`, () => {
      assert.equal(
        forbidden.some((pattern) => pattern.test(line)),
        isRefused,
      );
    });
  }
});
