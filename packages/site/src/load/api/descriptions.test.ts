import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { suite, test, type TestContext } from "node:test";
import { writeSite } from "../../../../../test/sites/temporary-site.ts";
import { limits } from "../../core/index.ts";
import type { Endpoint } from "../../openapi/index.ts";
import type { FetchRemote } from "../site-settings.ts";
import { readSite } from "../load-site.ts";

const config = JSON.stringify({ name: "A", navigation: { openapi: "apis/main.yaml" } });
const emptyConfig = JSON.stringify({ name: "A", navigation: { pages: [] } });
const remote = "https://api.example.com/v1/openapi.yaml";

type Files = Readonly<Record<string, string>>;
interface Options {
  readonly fetchRemote?: FetchRemote;
  readonly remoteApis?: boolean;
}

/** Returns the pages of a site, the content of its first operation, and the problems with their positions. */
async function read(t: TestContext, files: Files, options: Options = {}) {
  return await readFolder(await writeSite(t, { "docs.json": config, ...files }), options);
}

async function readFolder(siteDir: string, options: Options = {}) {
  const { site, materials } = await readSite({ siteDir, ...options });
  const pages = site.pages.map(({ path }) => path);
  const endpoints = pages.map((path) => materials.get(path)?.subject as Endpoint);
  const problems = site.problems.map(
    ({ code, file, line, message }) => `${code} ${file}:${line ?? "-"} ${message}`,
  );
  return { pages, endpoints, problems };
}

/** Returns a description whose only operation responds with the schema that `reference` names. */
function answering(reference: string): string {
  return `openapi: 3.1.0
paths:
  /a:
    get:
      responses:
        200:
          description: Yes.
          content:
            application/json:
              schema:
                $ref: ${JSON.stringify(reference)}
`;
}

const schemaOf = (endpoint: Endpoint | undefined) => endpoint?.responses[0]?.contents[0]?.schema;

function serving(files: Files): { fetchRemote: FetchRemote; asked: string[] } {
  const asked: string[] = [];
  const fetchRemote: FetchRemote = (url) => {
    asked.push(url);
    const text = files[url];
    if (text === undefined) return Promise.reject(new Error("It answers with 404."));
    return Promise.resolve({ bytes: new TextEncoder().encode(text), mediaType: undefined });
  };
  return { fetchRemote, asked };
}

suite("a description in several files", () => {
  test("is read as if it were one, each reference from its own file", async (t) => {
    const { endpoints, problems } = await read(t, {
      "apis/main.yaml": answering("./schemas/pet.yaml#/Pet"),
      "apis/schemas/pet.yaml": `
Pet:
  type: object
  properties:
    owner: {$ref: '../people/owner.json'}
    parent: {$ref: '#/Pet'}
    tag: {$ref: '/shared/tag%20list.yml#/tags/~1main'}
    kind: {$ref: '../main.yaml#/x-kinds/0'}
`,
      "apis/people/owner.json": JSON.stringify({ properties: { name: { type: "string" } } }),
      "shared/tag list.yml": "tags: {/main: {enum: [a]}}",
    });
    assert.deepEqual(problems, [
      'description_reference apis/schemas/pet.yaml:8 "$ref" names "../main.yaml#/x-kinds/0", which does not exist; this part is omitted.',
    ]);
    const [endpoint] = endpoints;
    assert.equal(schemaOf(endpoint)?.$ref, "Pet");
    assert.deepEqual(Object.keys(endpoint?.schemas ?? {}), ["Pet", "owner", "/main"]);
    assert.deepEqual(endpoint?.schemas["Pet"]?.properties, {
      owner: { $ref: "owner" },
      parent: { $ref: "Pet" },
      tag: { $ref: "/main" },
      kind: {},
    });
  });

  test("may have paths, parameters and responses in files of their own", async (t) => {
    const item = `
get:
  summary: Read
  parameters: [{$ref: './parts.yaml#/size'}]
  responses: {200: {$ref: './parts.yaml#/found'}}
`;
    const { pages, endpoints, problems } = await read(t, {
      "apis/main.yaml":
        "openapi: 3.0.0\npaths:\n  /a: {$ref: item.yaml}\n  /b: {$ref: item.yaml}\n",
      "apis/item.yaml": item,
      "apis/parts.yaml": "size: {in: query, name: size}\nfound: {description: Found.}\n",
    });
    assert.deepEqual([pages, problems], [["api-reference/read", "api-reference/read-1"], []]);
    assert.deepEqual(
      endpoints.map(({ path, parameters, responses }) => [
        path,
        parameters[0]?.name,
        responses[0]?.description,
      ]),
      [
        ["/a", "size", "Found."],
        ["/b", "size", "Found."],
      ],
    );
  });

  test("may have channels in files of their own; one that is not there says so", async (t) => {
    const { site, materials } = await readSite({
      siteDir: await writeSite(t, {
        "docs.json": config.replace("openapi", "asyncapi"),
        "apis/main.yaml":
          "asyncapi: 3.0.0\nchannels:\n  sold: {$ref: 'sold.yaml'}\n  lost: {$ref: 'lost.yaml'}\n",
        "apis/sold.yaml": "title: Sold plants\naddress: sold\n",
      }),
    });
    assert.deepEqual(
      site.pages.map(({ path, title }) => [path, title, materials.get(path)?.absentSubject]),
      [
        ["api-reference/lost", "lost", { kind: "part", name: "lost" }],
        ["api-reference/sold", "Sold plants", undefined],
      ],
    );
  });

  test("that go in circles end", async (t) => {
    const { endpoints, problems } = await read(t, {
      "apis/main.yaml": answering("a.yaml#/A"),
      "apis/a.yaml": "A: {$ref: 'b.yaml#/B'}",
      "apis/b.yaml": "B: {$ref: 'a.yaml#/A'}",
    });
    assert.deepEqual(problems, []);
    assert.deepEqual(endpoints[0]?.schemas, { A: { $ref: "B" }, B: { $ref: "A" } });
  });

  const refused: readonly [reference: string, problem: RegExp][] = [
    ["./gone.yaml#/A", /which does not exist/],
    ["broken.yaml#/A", /which is not valid/],
    ["../../secret.yaml#/A", /which is outside the site's folder/],
    ["link.yaml#/A", /which cannot be read/],
    [".env", /which is not a \.json or \.yaml file/],
    ["file:///etc/passwd.json", /which is not an https address/],
    [`${remote}#/A`, /which was not fetched \(.* --remote-apis\)/],
  ];
  for (const [reference, expected] of refused) {
    test(`shows the rest without ${reference}`, async (t) => {
      const siteDir = await writeSite(t, {
        "secret.yaml": "A: {type: string}",
        "site/docs.json": config,
        "site/apis/main.yaml": answering(reference),
        "site/apis/broken.yaml": "A: [",
        "site/apis/.env": "A: 1",
      });
      await symlink("../../secret.yaml", join(siteDir, "site/apis/link.yaml"));
      const { endpoints, problems } = await readFolder(join(siteDir, "site"));
      const named = problems.filter((problem) => problem.startsWith("description_reference"));
      assert.equal(named.length, 1);
      assert.match(named[0] ?? "", /^description_reference apis\/main\.yaml:11 /);
      assert.match(named[0] ?? "", expected);
      assert.equal(endpoints[0]?.responses[0]?.description, "Yes.");
      assert.deepEqual(schemaOf(endpoints[0]), {});
    });
  }

  test("is cut at a number of files", async (t) => {
    const chain = Array.from({ length: limits.linkedFiles + 2 }, (_, index) => [
      `apis/f${index}.yaml`,
      `properties: {next: {$ref: 'f${index + 1}.yaml'}}`,
    ]);
    const { endpoints, problems } = await read(t, {
      "apis/main.yaml": answering("f0.yaml"),
      ...Object.fromEntries(chain),
    });
    assert.equal(Object.keys(endpoints[0]?.schemas ?? {}).length, limits.linkedFiles);
    assert.match(
      problems.join(),
      /f999\.yaml:1 .* a description may refer to at most 1000 other files/,
    );
  });

  test("is cut where aliases make its files too large together", async (t) => {
    const lines = ["a0: &a0 [xxxxxxxxxx]"];
    for (let level = 1; level < 7; level++) {
      const items = Array.from({ length: 10 }, () => `*a${level - 1}`);
      lines.push(`a${level}: &a${level} [${items.join(", ")}]`);
    }
    const names = ["b", "c", "d", "e"];
    const more = names.map((name) => `{$ref: ${name}.yaml}`).join();
    const files = names.map((name) => [`apis/${name}.yaml`, `${lines.join("\n")}\nA: {}`]);
    const { problems } = await read(t, {
      "apis/main.yaml": `x-more: [${more}]\n${answering("e.yaml#/A")}`,
      ...Object.fromEntries(files),
    });
    assert.match(problems.join(), /^description_reference .* are too large in total; [^,]*$/);
  });
});

suite("references to other hosts", () => {
  const parts = "https://api.example.com/v1/parts.yaml";

  test("are followed where they are allowed, from a remote file on its own host", async (t) => {
    const { fetchRemote, asked } = serving({
      [remote]: answering("./parts.yaml#/A"),
      [parts]: "A: {type: string}",
    });
    const files = { "docs.json": config.replace("apis/main.yaml", remote) };
    const { endpoints, problems } = await read(t, files, { fetchRemote, remoteApis: true });
    assert.deepEqual([asked, problems], [[remote, parts], []]);
    assert.deepEqual(endpoints[0]?.schemas, { A: { type: ["string"] } });
  });

  test("never lead back into the site", async (t) => {
    const { fetchRemote, asked } = serving({ [parts]: "A: {$ref: '/docs.json#/name'}" });
    const files = { "apis/main.yaml": answering(`${parts}#/A`) };
    const { problems } = await read(t, files, { fetchRemote, remoteApis: true });
    assert.deepEqual(asked, [parts, "https://api.example.com/docs.json"]);
    assert.match(problems.join(), /apis\/main\.yaml:- .*It answers with 404/);
  });
});

/** Returns a description with one operation per path. The summary of each operation is `summary`. */
function describing(summary: string, ...paths: readonly string[]): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "A", version: "1" },
    paths: Object.fromEntries(paths.map((path) => [path, { get: { summary } }])),
    components: { schemas: { [summary]: { type: "object" } } },
  });
}

suite("a description that a page names", () => {
  const a = describing("A", "/a");
  const b = describing("B", "/b");
  const other = JSON.stringify({ some: "data" });
  const here = "en/api/page.mdx";

  const table: readonly [name: string, files: Files, found: string][] = [
    // The path is relative to the root.
    ["apis/a.json", { "apis/a.json": a }, "A"],
    ["/apis/a.json", { "apis/a.json": a }, "A"],
    ["/apis/a", { "apis/a.yaml": a }, "A"],
    ["apis/a", { "apis/a.yml": a }, "A"],
    ["a.json", { "a.json": a, "en/api/a.json": describing("B", "/a") }, "A"],
    // The path is relative to the folder of the page.
    ["../a.json", { "en/a.json": a }, "A"],
    ["./a.json", { "en/api/a.json": a }, "A"],
    ["./a", { "en/api/a.json": a }, "A"],
    ["../../apis/a.json", { "apis/a.json": a }, "A"],
    ["v1/a.json", { "en/api/v1/a.json": a }, "A"],
    ["./a.json", { "a.json": describing("B", "/a"), "en/api/a.json": a }, "A"],
    // A file name matches a file in any folder.
    ["a.json", { "x/y/a.json": a }, "A"],
    ["a", { "x/y/a.json": a, "x/b.json": b }, "A"],
    ["a.v1", { "x/a.v1.yaml": a }, "A"],
    ["old/a.json", { "new/a.json": a }, "A"],
    ["my api.json", { "x/my api.json": a }, "A"],
    // Of several files with the name, one that has the operation is used, or else the nearest.
    ["a.json", { "x/a.json": b, "y/a.json": a }, "A"],
    ["a", { "x/a.json": other, "y/a.json": a }, "A"],
    ["a", { "a.json": other, "y/a.json": a }, "A"],
    ["a.json", { "a.json": b, "y/a.json": a }, "A"],
    ["a.json", { "a.json": other, "y/a.json": a }, "A"],
    ["a.json", { "en/a.json": a, "fr/a.json": describing("F", "/a") }, "A"],
    ["a.json", { "en/api/v2/a.json": a, "en/v1/a.json": describing("F", "/a") }, "A"],
    ["v2/a.json", { "x/v2/a.json": a, "en/v1/a.json": describing("F", "/a") }, "A"],
    // The file is excluded from the site but named by its full path.
    ["apis/a.json", { "apis/a.json": a, ".mintignore": "apis" }, "A"],
  ];
  for (const [name, files, expected] of table) {
    test(`as ${JSON.stringify(name)} is one of ${Object.keys(files).join(", ")}`, async (t) => {
      const page = `---\nopenapi: ${JSON.stringify(`${name} get /a`)}\n---\n`;
      const siteDir = await writeSite(t, { "docs.json": emptyConfig, [here]: page, ...files });
      const { site, materials } = await readSite({ siteDir });
      assert.deepEqual(site.problems, []);
      assert.equal(site.pages.find(({ file }) => file === here)?.title, expected);
      assert.ok(materials.get("en/api/page")?.subject);
    });
  }

  const absent: readonly [name: string, files: Files, problems: readonly string[]][] = [
    [
      "a.json",
      { "x/a.json": b, "y/a.json": b },
      [`operation_missing ${here}:2 There is no operation "GET /a" in x/a.json or y/a.json.`],
    ],
    [
      "a.json",
      { "a.json": b, "c.json": a },
      [`operation_missing ${here}:2 There is no operation "GET /a" in a.json.`],
    ],
    [
      "a",
      { "a.json": other },
      [
        `operation_missing ${here}:2 There is no operation "GET /a" in a, because the site has no API description of this name.`,
      ],
    ],
    [
      "../../../a.json",
      {},
      [
        `operation_missing ${here}:2 There is no operation "GET /a" in ../../../a.json, because the site has no API description of this name.`,
      ],
    ],
    [
      "../a.json",
      {},
      [
        `operation_missing ${here}:2 The operation "GET /a" is not shown: its API description, "en/a.json", does not exist.`,
      ],
    ],
    [
      "file:///x/a.json",
      { "x/a.json": a },
      [
        `operation_missing ${here}:2 There is no operation "GET /a" in file:///x/a.json, because the site has no API description of this name.`,
      ],
    ],
  ];
  for (const [name, files, expected] of absent) {
    test(`as ${JSON.stringify(name)} is none of ${Object.keys(files).join(", ")}`, async (t) => {
      const page = `---\nopenapi: ${JSON.stringify(`${name} get /a`)}\n---\n`;
      const { problems } = await read(t, { "docs.json": emptyConfig, [here]: page, ...files });
      assert.deepEqual(problems, expected);
    });
  }

  test("by a whole path, and found in another file of that name, is reported", async (t) => {
    const { problems } = await read(t, {
      "docs.json": emptyConfig,
      [here]: "---\nopenapi: /en/a.json GET /a\n---\n",
      "en/a.json": b,
      "a.json": a,
    });
    assert.deepEqual(problems, [
      `operation_elsewhere ${here}:2 There is no operation "GET /a" in en/a.json; the operation in a.json is shown instead.`,
    ]);
  });

  test("is found for schemas, channels, whole descriptions and the navigation too", async (t) => {
    const events = "asyncapi: 3.0.0\nchannels:\n  sold: {title: Sold}\n";
    const siteDir = await writeSite(t, {
      "docs.json": JSON.stringify({
        name: "A",
        navigation: {
          groups: [
            { group: "Whole", openapi: "b" },
            { group: "One", pages: ["index", "a GET /a", "en/schema", "en/channel", "en/file"] },
            { group: "Own", openapi: "./x/a.json", pages: ["GET /a2"] },
          ],
        },
      }),
      "index.mdx": "---\nopenapi: get /a\n---\n",
      "en/schema.mdx": "---\nopenapi-schema: a A\n---\n",
      "en/channel.mdx": "---\nasyncapi: events sold\n---\n",
      "en/file.mdx": "---\nopenapi: ./b\n---\n",
      "x/a.json": describing("A", "/a", "/a2"),
      "en/b.json": b,
      "events/events.yaml": events,
    });
    const { site, materials } = await readSite({ siteDir });
    assert.deepEqual(site.problems, []);
    assert.deepEqual(
      site.pages.filter(({ path }) => materials.get(path)?.subject === undefined),
      [],
    );
    assert.deepEqual(
      site.pages.map(({ path, title }) => `${path} ${title}`),
      [
        "api-reference/a A",
        "api-reference/a-1 A",
        "api-reference/b B",
        "en/channel Sold",
        "en/file B",
        "en/schema A",
        "index A",
      ],
    );
  });

  test("that is missing is one problem of each page that shows a part of it", async (t) => {
    const pages = ["a", "b", "c"].map((name) => [
      `api/${name}.mdx`,
      `---\nopenapi: gone.json GET /${name}\n---\n`,
    ]);
    const { problems } = await read(t, {
      "docs.json": emptyConfig,
      ...Object.fromEntries(pages),
      "api/channel.mdx": "---\nasyncapi: gone.yaml orders\n---\n",
      "api/schema.mdx": "---\nopenapi-schema: gone.json Plant\n---\n",
      "api/whole.mdx": "---\nopenapi: gone.json\n---\n",
    });
    assert.deepEqual(
      problems.map((problem) => problem.split(" ", 2).join(" ")),
      [
        "operation_missing api/a.mdx:2",
        "operation_missing api/b.mdx:2",
        "operation_missing api/c.mdx:2",
        "channel_missing api/channel.mdx:2",
        "schema_missing api/schema.mdx:2",
        "operation_missing api/whole.mdx:2",
      ],
    );
  });
});
