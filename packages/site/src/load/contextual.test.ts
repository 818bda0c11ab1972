import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { loadSite } from "./load-site.ts";

async function told(
  t: TestContext,
  options: readonly unknown[],
  more: { readonly baseUrl?: string } = {},
): Promise<string[]> {
  const config = { name: "A", navigation: { pages: ["a"] }, contextual: { options } };
  const text = JSON.stringify(config, undefined, 1);
  const { problems } = await loadSite(await writeSite(t, { "docs.json": text, "a.mdx": "" }), more);
  return problems.map(({ code, line, message }) => `${code} ${line} ${message}`);
}

describe("what a page's menu cannot have", () => {
  const onServer = {
    title: "Install",
    href: { base: "https://a.example", query: [{ key: "a", value: "$mcp" }] },
  };
  const rows: readonly (readonly [
    name: string,
    options: readonly unknown[],
    expected: readonly string[],
  ])[] = [
    ["is nothing", ["copy", "view", { title: "Own", href: "/own?page=$page" }], []],
    [
      "is a name that nobody knows, told where it stands",
      ["copy", "foo"],
      [
        'setting_unknown 11 The format has no entry "foo" for "contextual.options"; it has no effect.',
      ],
    ],
    [
      "needs a server",
      ["mcp", onServer],
      [
        'setting_left_out 9 Entries of "contextual.options" are left out (mcp, Install): a bundle has nothing that answers them.',
      ],
    ],
    [
      "needs an address",
      ["chatgpt", "copy", "claude"],
      [
        `setting_left_out 9 Entries of "contextual.options" are left out (chatgpt, claude): they are told the page's address, and there is no base URL.`,
      ],
    ],
  ];
  for (const [name, options, expected] of rows) {
    test(name, async (t) => {
      assert.deepEqual(await told(t, options), expected);
    });
  }

  test("are no assistants where the address is known", async (t) => {
    const baseUrl = "https://docs.example.com";
    assert.deepEqual(await told(t, ["copy", "claude"], { baseUrl }), []);
  });
});
