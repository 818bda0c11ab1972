import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { parse } from "acorn";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { makeBrowserFile } from "../../build/browser-file.ts";
import { readClientScript, readPageMarkdownScript } from "./assets.ts";

describe("makeBrowserFile", () => {
  for (const [name, read] of Object.entries({
    clientScript: readClientScript,
    pageMarkdownScript: readPageMarkdownScript,
  })) {
    it(`makes one classic script that leaves no name behind: ${name}`, async () => {
      const { body } = parse(await read(), { ecmaVersion: 2023, sourceType: "script" });
      const [statement, ...others] = body;
      assert.deepEqual(others, []);
      assert(statement?.type === "ExpressionStatement");
      assert.equal(statement.expression.type, "CallExpression");
    });
  }

  it("makes a script again when a module that it holds has changed, and only then", async (t) => {
    const folder = await writeSite(t, {
      "main.ts": 'import { greeting } from "./greeting.ts";\nconsole.log(greeting as string);\n',
      "greeting.ts": 'export const greeting: string = "Hello";\nexport const unused = "Unused";\n',
    });
    const cache = join(folder, "cache");
    const main = pathToFileURL(join(folder, "main.ts"));
    const first = await makeBrowserFile(main, cache);
    assert.match(first, /^\(\(\)=>\{.*"Hello".*\}\)\(\);\n$/);
    assert.doesNotMatch(first, /Unused/);
    assert.equal(await makeBrowserFile(main, cache), first);
    await writeFile(join(folder, "greeting.ts"), 'export const greeting: string = "Good day";\n');
    assert.match(await makeBrowserFile(main, cache), /"Good day"/);
  });

  it("keeps what a style sheet says, without its comments and blanks", async (t) => {
    const folder = await writeSite(t, {
      "page.css": '/* Why. */\n.a {\n  content: "a  b";\n  color: var(--c);\n}\n',
    });
    const css = await makeBrowserFile(pathToFileURL(join(folder, "page.css")), folder);
    assert.equal(css, '.a{content:"a  b";color:var(--c)}\n');
  });
});
