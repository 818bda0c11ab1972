import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { loadSite } from "./load-site.ts";

async function warningsOf(
  t: TestContext,
  options: readonly unknown[],
  more: { readonly baseUrl?: string } = {},
): Promise<string[]> {
  const config = { name: "A", navigation: { pages: ["a"] }, contextual: { options } };
  const text = JSON.stringify(config, undefined, 1);
  const { problems } = await loadSite(await writeSite(t, { "docs.json": text, "a.mdx": "" }), more);
  return problems.map(({ code, line, message }) => `${code} ${line} ${message}`);
}

describe("a warning about an option of the page menu", () => {
  const onServer = {
    title: "Install",
    href: { base: "https://a.example", query: [{ key: "a", value: "$mcp" }] },
  };
  const rows: readonly (readonly [
    name: string,
    options: readonly unknown[],
    expected: readonly string[],
  ])[] = [
    [
      "is not given for one that works offline",
      ["copy", "view", { title: "Own", href: "/own?page=$page" }],
      [],
    ],
    [
      "is given for an unknown name, with its place",
      ["copy", "foo"],
      ['setting_unknown 11 "contextual.options" has no entry "foo"; it has no effect.'],
    ],
    [
      "is given for one that needs a server",
      ["mcp", onServer],
      [
        'setting_left_out 9 Entries of "contextual.options" are ignored (mcp, Install): they need a server, which a bundle does not have.',
      ],
    ],
    [
      "is given for one that needs an address",
      ["chatgpt", "copy", "claude"],
      [
        `setting_left_out 9 Entries of "contextual.options" are ignored (chatgpt, claude): they need the page's address; set a base URL.`,
      ],
    ],
  ];
  for (const [name, options, expected] of rows) {
    test(name, async (t) => {
      assert.deepEqual(await warningsOf(t, options), expected);
    });
  }

  test("is not given for an assistant if the address is known", async (t) => {
    const baseUrl = "https://docs.example.com";
    assert.deepEqual(await warningsOf(t, ["copy", "claude"], { baseUrl }), []);
  });
});
