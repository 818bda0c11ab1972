import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test, type TestContext } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { renderSite } from "./render-site.ts";
import { limits } from "../core/index.ts";
import type { FetchRemote } from "../load/index.ts";
import { loadSite, readSite } from "../load/index.ts";
import { createAddressPart, parseOperationText, parsePageAddress } from "../load/testing.ts";

const url = "https://api.example.com/openapi";

function description(paths: object, more: object = {}): string {
  return JSON.stringify({ openapi: "3.1.0", info: { title: "A", version: "1" }, paths, ...more });
}

function configuration(navigation: object, more: object = {}): string {
  return JSON.stringify({ name: "A", navigation, ...more });
}

async function pathsOf(t: TestContext, files: Record<string, string>) {
  const site = await loadSite(await writeSite(t, files));
  const codes = site.problems.map(({ code, file, line }) => `${code} ${file}:${line ?? "-"}`);
  return { paths: site.pages.map(({ path }) => path), codes };
}

suite("references to operations", () => {
  const table: readonly [text: string, location: string | undefined, name: string | undefined][] = [
    ["GET /a", undefined, "get /a"],
    ["  post   /a/{b} ", undefined, "post /a/{b}"],
    ["/api.json DELETE /a", "/api.json", "delete /a"],
    ["my api.json PATCH /a b", "my api.json", "patch /a b"],
    [`${url} QUERY /a`, url, "query /a"],
    ["webhook order paid", undefined, "webhook order paid"],
    ["a.json webhook paid", "a.json", "webhook paid"],
    ["get started", undefined, undefined],
    ["guides/get", undefined, undefined],
    ["GET", undefined, undefined],
    ["", undefined, undefined],
  ];
  for (const [text, location, name] of table) {
    test(JSON.stringify(text), () => {
      const read = parseOperationText(text);
      assert.equal(read?.location, location);
      assert.equal(read && `${read.method} ${read.path}`, name);
    });
  }
});

suite("addresses of pages", () => {
  const table: readonly [text: string, part: string][] = [
    ["Create a plant", "create-a-plant"],
    ["Get user (v1.0)", "get-user-v10"],
    ["/users/{id}/posts", "users-posts"],
    ["/users/{id}", "users"],
    ["Don't  stop", "dont-stop"],
    ["植物を作成", "植物を作成"],
    ["../../etc", "etc"],
    ["A `b` [c] & d", "a-`b`-[c]-&-d"],
    ["?#%<>|", ""],
    ["あ".repeat(300), "あ".repeat(66)],
  ];
  for (const [text, part] of table)
    test(text.slice(0, 40), () => assert.equal(createAddressPart(text), part));

  const chosen: readonly [href: string, path: string | undefined][] = [
    ["/guides/plants", "guides/plants"],
    ["guides/plants.mdx", "guides/plants"],
    ["../plants", undefined],
    ["/", undefined],
    ["/_octavo/a", undefined],
    ["/.git/config", undefined],
    ["/a.html/b", undefined],
    ["/a?b", undefined],
    ["https://example.com/a", undefined],
    [`/${"a".repeat(300)}`, undefined],
    ["/a".repeat(40), undefined],
  ];
  for (const [href, path] of chosen) {
    test(`chosen: ${href.slice(0, 40)}`, () => assert.equal(parsePageAddress(href), path));
  }
});

const unreachable: FetchRemote = () => Promise.reject(new Error("it did not answer"));
const forbidden: FetchRemote = () => assert.fail("It was fetched.");

function operation(text: string) {
  return { responses: { 200: { description: text } } };
}

function changing(first: string, weight: string): string {
  return description(
    {
      "/a": { get: operation(first) },
      "/b": { get: operation("B") },
      "/c": {
        get: {
          requestBody: { content: { "a/b": { schema: { $ref: "#/components/schemas/C" } } } },
        },
      },
    },
    { components: { schemas: { C: { type: weight } } } },
  );
}

suite("descriptions on other hosts", () => {
  const files = {
    "docs.json": configuration({ tabs: [{ tab: "API", openapi: url }] }),
    "a.mdx": `---\nopenapi: ${url} GET /a\n---\n`,
  };
  const text = description({ "/a": { get: { summary: "Read A" } } });

  test("are fetched once, within limits, and used like those of the site", async (t) => {
    const calls: unknown[] = [];
    const fetchRemote: FetchRemote = async (address, { maxBytes }) => {
      calls.push([address, maxBytes]);
      return { bytes: new TextEncoder().encode(text), mediaType: "application/json" };
    };
    const { site, materials } = await readSite({
      siteDir: await writeSite(t, files),
      fetchRemote,
      remoteApis: true,
    });
    assert.deepEqual(calls, [[url, limits.descriptionBytes]]);
    assert.deepEqual(site.problems, []);
    assert.deepEqual(
      site.pages.map(({ path, title, file }) => [path, title, file]),
      [
        ["a", "Read A", "a.mdx"],
        ["api-reference/read-a", "Read A", "docs.json"],
      ],
    );
    assert.equal(materials.get("a")?.subject?.kind, "operation");
  });

  test("that do not respond leave a page that says so", async (t) => {
    const root = await writeSite(t, files);
    const { site, materials } = await readSite({
      siteDir: root,
      fetchRemote: unreachable,
      remoteApis: true,
    });
    assert.deepEqual(
      site.problems.map(({ code, file, line }) => [code, file, line]),
      [["description_not_fetched", "docs.json", 1]],
    );
    assert.match(site.problems[0]?.message ?? "", /it did not answer/);
    for (const { path } of site.pages)
      assert.deepEqual(materials.get(path)?.absentSubject, { kind: "description", name: url });
    assert.deepEqual(
      site.pages.map(({ path }) => path),
      ["a", "api-reference/api"],
    );
  });

  test("are not fetched if there are too many", async (t) => {
    let calls = 0;
    const fetchRemote: FetchRemote = () => {
      calls += 1;
      return Promise.resolve({ bytes: new TextEncoder().encode(text), mediaType: undefined });
    };
    const openapi = Array.from({ length: limits.remoteDescriptions + 5 }, (_, i) => `${url}/${i}`);
    const root = await writeSite(t, { "docs.json": configuration({ openapi }), "a.md": "" });
    const site = await loadSite(root, { fetchRemote, remoteApis: true });
    assert.equal(calls, limits.remoteDescriptions);
    assert.equal(site.problems.filter(({ code }) => code === "description_not_fetched").length, 5);
  });

  test("are fetched only where that is allowed, and the warning names the option", async (t) => {
    const root = await writeSite(t, files);
    const { problems } = await loadSite(root, { fetchRemote: forbidden });
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["description_not_fetched"],
    );
    assert.match(problems[0]?.message ?? "", /--remote-apis/);
  });

  test("are fetched by https only", async (t) => {
    const openapi = ["http://example.com/a.json", "file:///etc/a.json", "//example.com/a.json"];
    const root = await writeSite(t, { "docs.json": configuration({ openapi }), "a.md": "" });
    const site = await loadSite(root, { fetchRemote: forbidden, remoteApis: true });
    assert.deepEqual(
      site.problems.map(({ code }) => code),
      ["description_invalid", "description_invalid", "description_missing"],
    );
  });
});

suite("pages of descriptions", () => {
  test("can be the only pages of a site", async (t) => {
    const { paths, codes } = await pathsOf(t, {
      "docs.json": configuration({ tabs: [{ tab: "API", openapi: "a.json" }] }),
      "a.json": description({ "/a": { get: {} } }),
    });
    assert.deepEqual([paths, codes], [["api-reference/get-a"], []]);
  });

  test("have one page for each operation, also if a description is named twice", async (t) => {
    const root = await writeSite(t, {
      "docs.json": configuration({
        versions: [
          { version: "1", openapi: "a.json" },
          { version: "2", groups: [{ group: "G", openapi: "a.json", pages: ["GET /a"] }] },
        ],
      }),
      "a.json": description({ "/a": { get: {} } }),
    });
    const { pages, problems } = await loadSite(root);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      pages.map(({ path, positions }) => [path, positions.length]),
      [["api-reference/get-a", 2]],
    );
  });

  test("are not made of a description outside the site's folder", async (t) => {
    const { paths, codes } = await pathsOf(t, {
      "docs.json": configuration({ tabs: [{ tab: "API", openapi: "../../etc/passwd.json" }] }),
      "a.mdx": "---\nopenapi: ../secret.json GET /a\n---\n",
    });
    assert.deepEqual(paths, ["a"]);
    assert.deepEqual(codes, [
      "operation_missing a.mdx:2",
      "navigation_empty docs.json:1",
      "description_invalid docs.json:1",
    ]);
  });

  test("have different addresses, even for operations with the same name", async (t) => {
    const names = Array.from({ length: 3_000 }, (_, index) => `/${index}`);
    const paths = Object.fromEntries(names.map((name) => [name, { get: { summary: "Same" } }]));
    const read = await pathsOf(t, {
      "docs.json": configuration({ openapi: "a.json" }),
      "a.json": description(paths),
    });
    assert.equal(new Set(read.paths).size, names.length);
    assert.ok(read.paths.includes("api-reference/same-2999"));
  });

  test("are rendered again only if their operation changes", async (t) => {
    const files = {
      "docs.json": configuration({ tabs: [{ tab: "API", openapi: "a.json" }] }),
      "a.json": changing("A", "string"),
    };
    const [siteDir, cacheDir, outDir] = [
      await writeSite(t, files),
      await writeSite(t, {}),
      await writeSite(t, {}),
    ];
    const exported = async () => {
      const { rendered } = await renderSite({ siteDir, cacheDir, outDir, workers: 1 });
      return rendered;
    };
    const counts = [await exported(), await exported()];
    await writeFile(join(siteDir, "a.json"), changing("Other", "string"));
    counts.push(await exported());
    assert.match(await readFile(join(outDir, "api-reference/get-a.html"), "utf8"), /Other/);
    await writeFile(join(siteDir, "a.json"), changing("Other", "integer"));
    counts.push(await exported());
    assert.match(await readFile(join(outDir, "api-reference/get-c.html"), "utf8"), /integer/);
    assert.deepEqual(counts, [3, 0, 1, 1]);
  });
});
