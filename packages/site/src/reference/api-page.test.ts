import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import * as fc from "fast-check";
import { planPropertyRuns } from "../../../../test/support/property-runs.ts";
import { parseFragment, type DefaultTreeAdapterTypes as Dom } from "parse5";
import { renderApiPage } from "../../../../test/support/api-page.ts";
import { readableHtml } from "../../../../test/support/readable-html.ts";
import { createOrder, endpointOf, orderSchemas } from "../../../../test/support/sample-endpoint.ts";
import { limits } from "../core/index.ts";
import type { ApiSubject, Content, Endpoint, Parameter, Schema } from "../openapi/index.ts";

const fixtures = join(import.meta.dirname, "../../../../test/fixtures/api");

/** `OCTAVO_TEST_UPDATE=1` writes the files anew; read the difference before it is committed. */
async function matchesFile(name: string, actual: string): Promise<void> {
  const path = join(fixtures, name);
  if (process.env["OCTAVO_TEST_UPDATE"] === "1") await writeFile(path, actual);
  assert.equal(actual, await readFile(path, "utf8"), name);
}

/** The text beside which the examples stand. */
function mainColumn(html: string): string {
  return html.replaceAll(/<aside [^]*?<\/aside>/g, "");
}

function json(schema: Schema, ...examples: readonly unknown[]): Content {
  const named = examples.map((value, index) => ({ name: `example ${index + 1}`, value }));
  return { mediaType: "application/json", schema, examples: named };
}

function withBody(schema: Schema, schemas: Readonly<Record<string, Schema>> = {}): Endpoint {
  const body = { isRequired: true, contents: [json(schema)] };
  return endpointOf({ method: "post", body, schemas });
}

function withSample(length: number): Endpoint {
  const source = `${"x".repeat(length)}END`;
  return endpointOf({ samples: [{ language: "ring", label: "Long", source }] });
}

/** Lines of a part of the page as Markdown, from its heading to the next. */
function part(markdown: string, heading: string): string {
  const start = markdown.indexOf(`## ${heading}\n`);
  const end = markdown.slice(start + 3).search(/\n(?:#|```)/);
  return markdown.slice(start, start + 3 + end).trim();
}

async function bodyLines(
  schema: Schema,
  schemas: Readonly<Record<string, Schema>> = {},
): Promise<string> {
  const { markdown } = await renderApiPage(withBody(schema, schemas));
  return part(markdown, "Body").replace(/^## Body\s+`application\/json`\s*/, "");
}

suite("pages of an API", () => {
  const subjects: Readonly<Record<string, ApiSubject>> = {
    "create-order": createOrder,
    webhook: endpointOf({
      kind: "webhook",
      method: "post",
      path: "plantSold",
      title: "Plant sold",
      description: "Sent to your address when a plant is sold.",
      body: { isRequired: true, contents: [json({ $ref: "Order" })] },
      responses: [{ status: "2XX", description: "Heard.", headers: [], contents: [] }],
      schemas: orderSchemas,
    }),
    model: { kind: "model", name: "Order", schema: { $ref: "Order" }, schemas: orderSchemas },
    channel: {
      kind: "channel",
      address: "stock/{plantId}",
      title: "Stock",
      description: "What changes, as it changes.",
      security: [],
      servers: [
        { url: "wss://live.nursery.example", protocol: "wss", description: "Live", variables: {} },
      ],
      parameters: [
        {
          name: "plantId",
          isRequired: true,
          isDeprecated: false,
          description: "Which plant.",
          schema: { type: ["string"] },
          examples: [],
        },
      ],
      operations: [
        {
          action: "receive",
          title: "Subscribe",
          messages: [
            {
              name: "subscribe",
              title: "Subscribe",
              contentType: "application/json",
              payload: {
                type: ["object"],
                properties: { since: { type: ["string"], format: "date" } },
              },
              examples: [],
            },
          ],
        },
        {
          action: "send",
          title: "Changes",
          description: "One for each **change**.",
          messages: [
            {
              name: "sold",
              title: "Sold",
              contentType: "application/json",
              headers: { type: ["object"], properties: { trace: { type: ["string"] } } },
              payload: { $ref: "OrderItem" },
              examples: [{ name: "one", value: { plant_id: "fern", quantity: 2 } }],
            },
            { name: "gone", title: "Gone", contentType: "text/plain", examples: [] },
          ],
        },
      ],
      schemas: orderSchemas,
    },
  };
  for (const [name, subject] of Object.entries(subjects)) {
    test(name, async () => {
      const { html, markdown, problems } = await renderApiPage(subject);
      assertValid(html);
      assert.deepEqual(problems, []);
      await matchesFile(`${name}.html`, readableHtml(mainColumn(html)));
      await matchesFile(`${name}.md`, markdown);
    });
  }

  test("follows the page's own content, and has the author's examples instead of generated ones", async () => {
    const source = "## First\n\n<RequestExample>\n\n```bash Mine\nmine\n```\n\n</RequestExample>\n";
    const { html, markdown, outline } = await renderApiPage(createOrder, {
      source,
      frontmatter: { description: "Said above." },
    });
    assert.ok(html.startsWith('<h2 id="first">'), html.slice(0, 100));
    assert.equal(html.match(/data-example="request"/g)?.length, 1);
    assert.equal(html.match(/data-example="response"/g)?.length, 1);
    assert.ok(!html.includes("Orders plants for delivery"));
    assert.ok(markdown.startsWith("# api/page\n\nSaid above.\n\n## First"));
    assert.deepEqual(
      outline.map(({ id }) => id),
      ["first", "authorizations", "path-parameters", "query-parameters", "header-parameters", "body", "callbacks", "response"], // prettier-ignore
    );
  });

  test("begins with the API's description, if the page has none", async () => {
    const { html } = await renderApiPage(createOrder, { source: "Mine." });
    const [said, mine, section] = ["Orders plants", "Mine.", "authorizations"].map((text) =>
      html.indexOf(text),
    );
    assert.deepEqual(
      [said, mine, section].toSorted((a = 0, b = 0) => a - b),
      [said, mine, section],
    );
    assert.notEqual(said, -1);
  });

  test("has the ids that published sites link to", async () => {
    const { anchors, html, sections } = await renderApiPage(createOrder);
    const expected =
      "path-nursery-id param-nursery-id query-dry-run header-idempotency-key authorization-x-api-key body body-items param-items body-items-plant-id body-payment-one-of-0 body-payment-one-of-0-token response response-404 response-404-code response-id response-header-location".split(
        " ",
      );
    for (const id of expected) {
      assert.ok(anchors.includes(id), id);
      assert.ok(html.includes(` id="${id}"`), id);
    }
    assert.equal(new Set(anchors).size, anchors.length);
    const body = sections.find(({ id }) => id === "body");
    assert.ok(body?.text.includes("What is ordered, at most one entry a plant."));
  });

  test("has descriptions alone as the text of search results, and the schema beside it", async () => {
    const { sections } = await renderApiPage(createOrder);
    const texts = new Map(sections.map(({ id, text }) => [id, text]));
    assert.equal(texts.get("authorizations"), "X-Api-Key: A key of the dashboard.");
    assert.equal(texts.get("path-parameters"), "nurseryId: The nursery that packs.");
    const noise =
      /\b(?:string|integer|object|enum|required|deprecated|read-only|default:|Options:|Example:|Child attributes|One of|curl|application\/json)\b/;
    for (const text of texts.values()) assert.doesNotMatch(text, noise);
    const hidden = sections.map((section) => section.hidden ?? "").join(" ");
    for (const words of [
      "One of",
      "Child attributes",
      "curl --request POST",
      "404 application/json",
    ]) {
      assert.ok(hidden.includes(words), words);
    }
  });

  test("expands fields and shows a single address, if the site wants that", async () => {
    const api = { params: { expanded: "all" }, url: "full" };
    const endpoint = withBody({ type: ["object"], properties: { a: { properties: { b: {} } } } });
    const closed = (await renderApiPage(endpoint)).html;
    const open = (await renderApiPage(endpoint, { api })).html;
    assert.ok(closed.includes('<details class="fold expandable"><summary>'));
    assert.ok(open.includes('<details class="fold expandable" open><summary>'));
    assert.ok(!closed.includes("api-servers"));
    assert.ok(open.includes("api-servers"));
  });
});

suite("pages that are written by hand", () => {
  const source = `<ParamField path="id" type="string" required>Which.</ParamField>

<ParamField query="silent" type="boolean" default={false}>Tells nobody.</ParamField>

<ParamField header="X-Trace" required placeholder="t-1">To find it again.</ParamField>

<ParamField body="litres" type="number" required placeholder="0.5">How much.</ParamField>

<ParamField body="who" type="object[]">
  Who waters.
  <Expandable title="Fields">
    <ParamField body="name" type="string" required>Their name.</ParamField>
  </Expandable>
</ParamField>
`;
  const api = {
    mdx: { server: "https://api.nursery.example/", auth: { method: "key", name: "x-key" } },
  };

  test("get a section on authorization and samples of the request", async () => {
    const frontmatter = { api: "POST /plants/{id}/water" };
    const { html, markdown, outline } = await renderApiPage(undefined, {
      source,
      frontmatter,
      api,
    });
    assertValid(html);
    assert.ok(html.startsWith('<h2 class="api-heading" id="authorizations">'), html.slice(0, 80));
    assert.deepEqual(
      outline.map(({ id }) => id),
      ["authorizations", "parameters"],
    );
    const sample = markdown.slice(markdown.indexOf("```bash"));
    assert.equal(
      sample,
      `\`\`\`bash cURL
curl --request POST \\
  --url 'https://api.nursery.example/plants/{id}/water?silent=false' \\
  --header 'x-key: <api-key>' \\
  --header 'X-Trace: t-1' \\
  --header 'Content-Type: application/json' \\
  --data '{
    "litres": 0.5,
    "who": [
      {
        "name": "<string>"
      }
    ]
  }'
\`\`\`
`,
    );
  });

  const rows: readonly [
    name: string,
    api: string,
    extra: object,
    wanted: RegExp,
    unwanted?: RegExp,
  ][] = [
    ["an address of its own", "GET https://{host}/v1/x", {}, /--url 'https:\/\/\{host\}\/v1\/x\?/],
    [
      "its own way to show who asks",
      "GET /x",
      { authMethod: "bearer" },
      /Bearer &lt;token&gt;/,
      /x-key/,
    ],
    ["nobody to ask", "GET /x", { authMethod: "none" }, /curl/, /authorizations/],
  ];
  for (const [name, operation, extra, wanted, unwanted] of rows) {
    test(`may have ${name}`, async () => {
      const frontmatter = { api: operation, extra: { ...extra } };
      const { html } = await renderApiPage(undefined, { source, frontmatter, api });
      const text = html.replaceAll(/<[^>]*>/g, "");
      assert.match(text, wanted);
      if (unwanted) assert.doesNotMatch(html, unwanted);
    });
  }

  test("show their authors' samples, and no generated ones if the site wants none", async () => {
    const frontmatter = { api: "GET /x" };
    const own = `<RequestExample>\n\n\`\`\`bash Mine\nmine\n\`\`\`\n\n</RequestExample>`;
    const written = await renderApiPage(undefined, { source: own, frontmatter, api });
    const quiet = { examples: { autogenerate: false } };
    const silent = await renderApiPage(undefined, { source, frontmatter, api: quiet });
    assert.equal(written.html.match(/<aside /g)?.length, 1);
    assert.equal(silent.html.match(/<aside /g), null);
  });
});

suite("samples that the description gives", () => {
  const samples = [
    { language: "javascript", label: "SDK", source: "plants.list();\n" },
    { language: "ring", label: "", source: "ring" },
  ];

  test("come first, and replace generated ones in the same language", async () => {
    const { html } = await renderApiPage(endpointOf({ samples }), {
      api: { examples: { languages: ["curl", "js", "go"] } },
    });
    const titles = Array.from(html.matchAll(/data-title="([^"]*)"/g), ([, title]) => title);
    assert.deepEqual(titles, ["SDK", "ring", "cURL", "Go"]);
  });

  test("are the only ones if the site wants none generated", async () => {
    const { markdown } = await renderApiPage(endpointOf({ samples }), {
      api: { examples: { autogenerate: false } },
    });
    assert.ok(markdown.includes("```javascript SDK\nplants.list();\n```"));
    assert.ok(!markdown.includes("curl"));
  });

  test("are whole in the Markdown file up to a length, beyond which they are reported", async () => {
    const { markdown, problems } = await renderApiPage(withSample(50_000));
    assert.ok(markdown.includes("xEND\n```"));
    assert.deepEqual(problems, []);
    const cut = await renderApiPage(withSample(100_000));
    assert.ok(!cut.markdown.includes("END"));
    assert.deepEqual(
      cut.problems.map(({ message }) => message),
      ['The sample "Long" is longer than 100000 characters and is only partly shown.'],
    );
  });
});

test("an operation with many callbacks shows all of them", async () => {
  const callbacks = Array.from({ length: 60 }, (_, at) =>
    endpointOf({ title: `Event ${at}`, method: "post", path: `{$url}/${at}` }),
  );
  const { html, markdown } = await renderApiPage(endpointOf({ callbacks }));
  for (const { title, path } of callbacks) {
    assert.ok(html.includes(`<span class="fold-title">${title}</span>`), title);
    assert.ok(markdown.includes(`\`POST ${path}\``), path);
  }
});

suite("a schema", () => {
  const person: Schema = {
    type: ["object"],
    required: ["name"],
    properties: { name: { type: ["string"] }, friend: { $ref: "Person" } },
  };
  const table: readonly [
    name: string,
    schema: Schema,
    expected: string,
    schemas?: Readonly<Record<string, Schema>>,
  ][] = [
    ["of a scalar", { type: ["string"], format: "date-time" }, "`string<date-time>`"],
    ["of several types", { type: ["string", "null"] }, "`string | null`"],
    ["of a list", { type: ["array"], items: { type: ["integer"] } }, "`integer[]`"],
    [
      "of a list of several types",
      { type: ["array"], items: { type: ["string", "integer"] } },
      "`(string | integer)[]`",
    ],
    ["of a file", { type: ["string"], format: "binary" }, "`file`"],
    ["of anything", {}, "`any`"],
    [
      "of values",
      { enum: ["a", "b`c"], default: "a" },
      "`enum<string>`\n\nOptions: `a`, `` b`c ``. default: `a`.",
    ],
    ["of one value", { const: 3 }, "`integer`\n\nAlways: `3`."],
    [
      "with limits",
      { type: ["integer"], minimum: 1, exclusiveMaximum: 10, multipleOf: 2 },
      "`integer`\n\nat least `1`, less than `10`, a multiple of `2`.",
    ],
    [
      "with limits of which one excludes its value",
      { type: ["integer"], minimum: 0, maximum: 9, exclusiveMinimum: 0 },
      "`integer`\n\n`0` to `9`, more than `0`.",
    ],
    [
      "that is encoded",
      { type: ["string"], contentMediaType: "text/csv", contentEncoding: "base64" },
      "`string`\n\n`text/csv`, encoded as `base64`.",
    ],
    [
      "with lengths",
      { type: ["string"], minLength: 3, maxLength: 3, pattern: "^a" },
      "`string`\n\n`3` characters, matches `^a`.",
    ],
    [
      "with fields of any name",
      { type: ["object"], additionalProperties: { type: ["number"] } },
      "- any name (number)",
    ],
    [
      "with limits of one and of several",
      {
        properties: {
          a: { type: ["array"], minItems: 1 },
          b: { type: ["string"], maxLength: 1 },
          c: { type: ["object"], minProperties: 1, maxProperties: 1 },
          d: { type: ["array"], minItems: 1, maxItems: 2 },
          e: { type: ["string"], minLength: 2 },
        },
      },
      "- `a` (array): at least `1` item.\n- `b` (string): at most `1` character.\n- `c` (object): `1` field.\n- `d` (array): `1` to `2` items.\n- `e` (string): at least `2` characters.",
    ],
    [
      "without known fields",
      { type: ["object"], additionalProperties: true },
      "Fields of any name.",
    ],
    [
      "with fields by pattern and place",
      {
        properties: {
          x: { patternProperties: { "^x-": { type: ["string"] } } },
          pair: { type: ["array"], prefixItems: [{ type: ["string"] }, { type: ["number"] }] },
        },
      },
      "- `x` (object)\n  - `^x-` (string)\n- `pair` (array)\n  - `[0]` (string)\n  - `[1]` (number)",
    ],
    [
      "that is merged of several",
      {
        description: "Own words.",
        allOf: [
          { $ref: "Person" },
          { required: ["age"], properties: { age: { type: ["integer"] }, name: { maxLength: 9 } } },
        ],
      },
      "Own words.\n\n- `name` (string, required): at most `9` characters.\n- `friend` (object)\n  - `name` (string, required)\n  - `friend` (object)\n    - Has the fields of `Person`, in which it stands.\n- `age` (integer, required)",
      { Person: person },
    ],
    [
      "that leads to itself",
      { $ref: "Person" },
      "- `name` (string, required)\n- `friend` (object)\n  - Has the fields of `Person`, in which it stands.",
      { Person: person },
    ],
    [
      "that may be null",
      { properties: { who: { anyOf: [{ $ref: "Person" }, { type: ["null"] }] } } },
      "- `who` (object | null)\n  - `name` (string, required)\n  - `friend` (object)\n    - Has the fields of `Person`, in which it stands.",
      { Person: person },
    ],
    [
      "that is nullable beside what it is",
      { properties: { who: { type: ["null"], allOf: [{ $ref: "Name" }] } } },
      "- `who` (string | null): A name.",
      { Name: { type: ["string"], description: "A name." } },
    ],
    [
      "of a choice of plain types",
      { properties: { id: { oneOf: [{ type: ["string"] }, { type: ["integer"] }] } } },
      "- `id` (string | integer)",
    ],
    [
      "of a choice with more to say",
      {
        properties: {
          pet: {
            oneOf: [{ $ref: "Cat" }, { $ref: "Dog" }],
            discriminator: { propertyName: "kind", mapping: { meow: "Cat" } },
          },
        },
      },
      "- `pet` (object)\n  - One of:\n    - Cat (object), when `kind` is `meow`\n      - `lives` (integer)\n    - Dog (object), when `kind` is `Dog`: Barks.\n      - `tricks` (string[])",
      {
        Cat: { properties: { lives: { type: ["integer"] } } },
        Dog: {
          description: "Barks.",
          properties: { tricks: { type: ["array"], items: { type: ["string"] } } },
        },
      },
    ],
    [
      "with names that objects have anyway",
      JSON.parse(
        '{"properties":{"__proto__":{"type":["string"]},"constructor":{"$ref":"toString"}}}',
      ),
      "- `__proto__` (string)\n- `constructor` (any)",
    ],
    [
      "with words of the description's author",
      { properties: { mail: { type: ["string"], pre: ["PII"], post: ["unique"] } } },
      "- `mail` (string, PII, unique)",
    ],
    ["that leads nowhere", { properties: { a: { $ref: "Gone" } } }, "- `a` (any)"],
    [
      "that is nothing but itself",
      { properties: { a: { $ref: "A" } } },
      "- `a` (any)",
      { A: { allOf: [{ $ref: "B" }] }, B: { anyOf: [{ $ref: "A" }] } },
    ],
  ];
  for (const [name, schema, expected, schemas] of table) {
    test(name, async () => assert.equal(await bodyLines(schema, schemas), expected));
  }

  const both: Schema = {
    properties: {
      id: { type: ["string"], readOnly: true },
      secret: { type: ["string"], writeOnly: true },
    },
  };

  test("shows what is sent in requests, and what comes back in responses", async () => {
    const endpoint = {
      ...withBody(both),
      responses: [{ status: "200", headers: [], contents: [json(both)] }],
    };
    const { markdown } = await renderApiPage(endpoint);
    assert.ok(part(markdown, "Body").endsWith("- `secret` (string, write-only)"));
    assert.ok(part(markdown, "Response 200").endsWith("- `id` (string, read-only)"));
    assert.ok(markdown.includes('"secret": "<string>"') && !/--data[^]*"id"/.test(markdown.split("```json")[0] ?? "")); // prettier-ignore
  });

  test("shows the payload of a webhook as what readers receive", async () => {
    const { markdown } = await renderApiPage({ ...withBody(both), kind: "webhook" });
    assert.ok(part(markdown, "Body").endsWith("- `id` (string, read-only)"));
    assert.ok(!markdown.includes("curl"));
  });
});

function wide(count: number, property: (index: number) => Schema): Schema {
  const entries = Array.from({ length: count }, (_, index) => [`p${index}`, property(index)]);
  return { type: ["object"], properties: Object.fromEntries(entries) as Record<string, Schema> };
}

function nested(depth: number, inside: (schema: Schema) => Schema): Schema {
  let schema: Schema = { type: ["string"] };
  for (let level = 0; level < depth; level++) schema = inside(schema);
  return schema;
}

suite("hostile descriptions", () => {
  const largest = 400_000;

  function web(count: number): Record<string, Schema> {
    const schemas: [string, Schema][] = [];
    for (let at = 0; at < count; at++) {
      schemas.push([
        `S${at}`,
        wide(30, (index) => ({ $ref: `S${(at * 7 + index * 13) % count}` })),
      ]);
    }
    return Object.fromEntries(schemas);
  }
  const long = "Long words. ".repeat(50_000);
  const cases: Readonly<Record<string, Endpoint>> = {
    "a web of 128 schemas": withBody({ $ref: "S0" }, web(128)),
    "a web in every response": {
      ...withBody({ $ref: "S0" }, web(60)),
      responses: Array.from({ length: 20 }, (_, index) => ({
        status: `${400 + index}`,
        headers: [],
        contents: [json({ $ref: `S${index}` })],
      })),
    },
    "100,000 properties": withBody(wide(100_000, () => ({ type: ["string"] }))),
    "10,000 options": withBody({
      oneOf: Array.from({ length: 10_000 }, (_, index) => ({ title: `Option ${index}` })),
    }),
    "allOf that doubles": withBody(
      { $ref: "A0" },
      Object.fromEntries(
        Array.from({ length: 60 }, (_, at) => [
          `A${at}`,
          { allOf: [{ $ref: `A${at + 1}` }, { allOf: [{ $ref: `A${at + 1}` }] }] },
        ]),
      ),
    ),
    "lists 200 deep": withBody(nested(200, (items) => ({ type: ["array"], items }))),
    "objects 200 deep": withBody(nested(200, (a) => ({ properties: { a } }))),
    "choices 200 deep": withBody(nested(200, (one) => ({ anyOf: [one, { title: "Other" }] }))),
    "10,000 values": withBody({ enum: Array.from({ length: 10_000 }, (_, index) => index) }),
    "an example of 2 MB": endpointOf({
      method: "post",
      body: {
        isRequired: true,
        contents: [
          json(
            {},
            Array.from({ length: 20_000 }, () => long.slice(0, 100)),
          ),
        ],
      },
    }),
  };
  for (const [name, endpoint] of Object.entries(cases)) {
    test(`${name}: a page of a readable size`, async () => {
      const { html, markdown } = await renderApiPage(endpoint);
      assertValid(html);
      assert.ok(html.length < largest, `${html.length} characters of HTML`);
      assert.ok(markdown.length < largest, `${markdown.length} characters of Markdown`);
    });
  }

  for (const name of ["100,000 properties", "10,000 options"]) {
    test(`${name}: the limit is named with the place on the page`, async () => {
      const { problems } = await renderApiPage(cases[name]);
      assert.deepEqual(
        problems.map(({ severity, code }) => `${severity} ${code}`),
        ["warning description_too_large"],
      );
      assert.match(
        problems[0]?.message ?? "",
        /^The schemas of this page need more than the 1160 KB that a page and its expandable parts can hold, .* at #body\.$/,
      );
    });
  }

  test("any schemas become HTML that parses", async () => {
    const names = ["A", "B", "toString", "<b>"];
    const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("<i>", "`", "**", "\n\n# x", "|")); // prettier-ignore
    const { node, schema } = fc.letrec<{ schema: Schema; node: Schema }>((tie) => ({
      schema: fc.oneof({ maxDepth: 3, depthSize: "small" }, fc.constant({}), tie("node")),
      node: fc.record(
        {
          $ref: fc.constantFrom(...names),
          type: fc.subarray(["object", "array", "string", "integer", "null"]),
          title: text,
          description: text,
          format: text,
          enum: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }),
          const: fc.jsonValue({ maxDepth: 2 }),
          default: fc.jsonValue({ maxDepth: 2 }),
          examples: fc.array(fc.jsonValue(), { maxLength: 2 }),
          minimum: fc.double(),
          maxLength: fc.integer(),
          readOnly: fc.boolean(),
          writeOnly: fc.boolean(),
          required: fc.array(text, { maxLength: 3 }),
          properties: fc.dictionary(text, tie("schema"), { maxKeys: 3 }),
          patternProperties: fc.dictionary(text, tie("schema"), { maxKeys: 1 }),
          additionalProperties: fc.oneof(fc.constant(true as const), tie("schema")),
          items: tie("schema"),
          prefixItems: fc.array(tie("schema"), { maxLength: 2 }),
          allOf: fc.array(tie("schema"), { maxLength: 2 }),
          oneOf: fc.array(tie("schema"), { maxLength: 3 }),
          anyOf: fc.array(tie("schema"), { maxLength: 3 }),
          discriminator: fc.record({
            propertyName: text,
            mapping: fc.dictionary(text, fc.constantFrom(...names)),
          }),
        },
        { requiredKeys: [] },
      ),
    }));
    const schemas = fc.tuple(...names.map(() => schema));
    await fc.assert(
      fc.asyncProperty(node, schemas, async (body, list) => {
        const named = Object.fromEntries(names.map((name, at) => [name, list[at] ?? {}]));
        const endpoint = {
          ...withBody(body, named),
          responses: [{ status: "200", headers: [], contents: [json(body)] }],
        };
        const { html, markdown } = await renderApiPage(endpoint);
        assertValid(html);
        assert.ok(html.length < largest, `${html.length} characters of HTML`);
        // It also holds what readers of the HTML open.
        const room = limits.schemaBytes + limits.deferredSchemaBytes;
        assert.ok(markdown.length < room, `${markdown.length} characters of Markdown`);
      }),
      planPropertyRuns(100),
    );
  });

  test("a page says what it omits", async () => {
    const page = await renderApiPage(withBody(wide(7_000, () => ({ type: ["string"] }))));
    assert.match(page.schemaParts?.join("") ?? "", /\d+ more are not shown here\./);
    assert.match(page.markdown, /\d+ more are not shown here\./);
  });

  test("untrusted text stays text", async () => {
    const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
    const evilText = `${evil} [a](javascript:alert(3)) <b onclick="alert(4)" style="x">b</b> <token> <Card>c</Card> {1+1}`;
    const schema: Schema = {
      title: evil,
      description: evilText,
      type: [evil],
      format: evil,
      default: evil,
      enum: [evil],
      pattern: evil,
      examples: [evil],
      properties: { [evil]: { description: evilText, oneOf: [{ title: evil }, { const: evil }] } },
    };
    const parameter: Parameter = {
      name: evil,
      location: "query",
      description: evilText,
      isRequired: true,
      isDeprecated: false,
      schema,
      examples: [],
    };
    const endpoint = endpointOf({
      method: "post",
      path: `/${evil}`,
      title: evil,
      description: evilText,
      servers: [1, 2].map(() => ({
        url: `https://x/${evil}`,
        description: evil,
        variables: { [evil]: { default: evil, values: [evil], description: evil } },
      })),
      security: [
        [
          {
            name: evil,
            type: "key",
            location: "header",
            keyName: evil,
            description: evilText,
            scopes: [evil],
          },
        ],
      ],
      parameters: [parameter],
      body: {
        isRequired: true,
        description: evilText,
        contents: [{ mediaType: evil, schema, examples: [] }],
      },
      responses: [
        {
          status: evil,
          description: evilText,
          headers: [parameter],
          contents: [json(schema, evil)],
        },
      ],
      callbacks: [endpointOf({ title: evil, path: evil, method: evil })],
      samples: [{ language: evil, label: evil, source: evil }],
    });
    const { html } = await renderApiPage(endpoint);
    assertValid(html);
    for (const element of elementsIn(parseFragment(html))) {
      assert.ok(
        !["script", "style", "iframe", "object"].includes(element.tagName),
        element.tagName,
      );
      for (const { name, value } of element.attrs) {
        assert.ok(!name.startsWith("on"), `${element.tagName} ${name}`);
        assert.ok(!/^\s*javascript:/i.test(value), value);
      }
    }
    assert.ok(html.includes("&lt;token&gt;"), "names in angle brackets are shown");
    assert.ok(html.includes("{1+1}"), "braces are text");
  });
});

function elementsIn(parent: Dom.ParentNode): Dom.Element[] {
  return parent.childNodes.flatMap((child) =>
    "tagName" in child ? [child, ...elementsIn(child)] : [],
  );
}

/** Fails where a browser would build another tree than the one that was written. */
function assertValid(html: string): void {
  const errors: string[] = [];
  const elements = elementsIn(
    parseFragment(html, {
      onParseError: ({ code, startLine, startCol }) =>
        errors.push(`${code} ${startLine}:${startCol}`),
    }),
  );
  assert.deepEqual(errors, []);
  const written = Array.from(html.matchAll(/<([a-z][a-z0-9]*)/g), ([, name]) => name);
  assert.deepEqual(
    elements.map(({ tagName }) => tagName),
    written,
  );
  const ids = elements.flatMap(({ attrs }) => attrs.filter(({ name }) => name === "id"));
  assert.equal(new Set(ids.map(({ value }) => value)).size, ids.length, "an id is given twice");
}
