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
const remote = "https://api.example.com/v1/openapi.yaml";

type Files = Readonly<Record<string, string>>;
interface Options {
  readonly fetchRemote?: FetchRemote;
  readonly remoteApis?: boolean;
}

/** The pages of a site, what the first operation shows, and the problems with their places. */
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

/** A description whose only operation answers with what `reference` names. */
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
      site.pages.map(({ path, title }) => [path, title, materials.get(path)?.absent]),
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
    assert.match(problems.join(), /^description_reference .* are too large together; [^,]*$/);
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
