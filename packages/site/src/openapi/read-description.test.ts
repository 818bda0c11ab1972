import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { limits } from "../core/index.ts";
import type { Problem } from "../core/index.ts";
import type { Endpoint, Schema } from "./api-subject.ts";
import { parseLenientYaml } from "../text/index.ts";
import { parseDescriptionFile, readDescription } from "./index.ts";

function read(text: string, name = "api.json") {
  const problems: Problem[] = [];
  const source = { file: name.startsWith("https:") ? "docs.json" : name, name, text };
  const report = (problem: Problem) => problems.push(problem);
  const main = parseDescriptionFile(source, report);
  return { description: main && readDescription(main, { report }), problems };
}

function readJson(document: object) {
  return read(JSON.stringify({ openapi: "3.1.0", ...document }));
}

/** The endpoint of `GET /a` and its problems. */
function endpointOf(operation: object, document: object = {}) {
  const { description, problems } = readJson({ paths: { "/a": { get: operation } }, ...document });
  const [entry] = description?.operations ?? [];
  const endpoint = entry && description?.getSubject(entry);
  assert.ok(endpoint?.kind === "operation");
  return { endpoint, problems, messages: problems.map(({ message }) => message) };
}

function schemaOf(schema: unknown, schemas: Record<string, unknown> = {}) {
  const operation = { requestBody: { content: { "application/json": { schema } } } };
  const { endpoint, messages } = endpointOf(operation, { components: { schemas } });
  return { schema: endpoint.body?.contents[0]?.schema, schemas: endpoint.schemas, messages };
}

suite("the text of a description", () => {
  const table: readonly [name: string, text: string, expected: string][] = [
    ["JSON", '{"openapi": "3.0.1", "paths": {}}', ""],
    ["JSON with a byte order mark", '\uFEFF{"openapi": "3.0.1"}', ""],
    ["YAML", "openapi: 3.1.0\npaths: {}", ""],
    ["a version that is a number", "openapi: 3.1", ""],
    ["AsyncAPI", "asyncapi: 2.6.0", ""],
    ["broken JSON", '{\n "openapi": "3.0.1",\n}', "description_invalid 2:20"],
    ["broken YAML", "openapi: 3.0.0\npaths: [", "description_invalid 2:8"],
    ["nothing", "", "description_invalid"],
    ["a list", "- openapi", "description_invalid"],
    ["Swagger", "swagger: '2.0'", ""],
    ["Swagger with a version that is a number", "swagger: 2.0", ""],
    ["an earlier Swagger", "swagger: '1.2'", "description_unsupported"],
    ["a later version", "openapi: 4.0.0", "description_unsupported"],
    ["something else", "name: x", "description_unsupported"],
    [
      "deep nesting",
      `{"openapi": ${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
      "description_invalid",
    ],
    ["deep nesting in YAML", `openapi: ${"[".repeat(5_000)}`, "description_invalid 1:109"],
  ];
  for (const [name, text, expected] of table) {
    test(name, () => {
      const { description, problems } = read(text);
      const found = problems.map(({ code, line, column }) =>
        line === undefined ? code : `${code} ${line}:${column}`,
      );
      assert.equal(
        found.map((problem) => problem.split(" ").slice(0, 2).join(" ")).join(),
        expected,
      );
      assert.equal(description === undefined, expected !== "");
    });
  }

  const slips: readonly [name: string, title: string, place: string, expected: string][] = [
    ["a bracket to the left", "[\n    One,\n  Two\n  ]", "5:3,6:3", "One,Two"],
    ["a quoted text to the left", "'a\n\n b'", "5:2", "a\nb"],
    ["a tag that nobody knows", "!Ref One", "3:10", "One"],
    ["a comment without a space", "'One'#two", "3:15", "One"],
    ["an escape that YAML does not have", '"\\d+"', "3:12", "\\d+"],
    ["a colon in a text", "Note: don't", "3:14", "Note: don't"],
    ["a sign that is reserved", "@one", "3:10", "@one"],
    ["a character that cannot be printed", "a\u0007b", "3:11", "a\uFFFDb"],
  ];
  for (const [name, title, place, expected] of slips) {
    test(`a slip that other parsers read: ${name}`, () => {
      const text = `openapi: 3.1.0\ninfo:\n  title: ${title}\n  x: y\npaths: {/a: {get: {summary: A}}}\n`;
      const { description, problems } = read(text, "api.yaml");
      assert.deepEqual(
        problems.map(({ code, line, column }) => `${code} ${line}:${column}`),
        place.split(",").map((one) => `description_repaired ${one}`),
      );
      const { value } = parseLenientYaml(text, { maxDepth: 20 }) as { value: { info: object } };
      assert.deepEqual(
        { ...value.info },
        { title: expected.includes(",") ? expected.split(",") : expected, x: "y" },
      );
      assert.equal(description?.operations.length, 1);
    });
  }

  test("of several documents, the first is read", () => {
    const text = "# c\n---\nopenapi: 3.1.0\n---\nopenapi: 4.0.0\n";
    const { description, problems } = read(text, "api.yaml");
    assert.ok(description);
    assert.deepEqual(
      problems.map(({ code, line }) => `${code} ${line}`),
      ["description_repaired 4"],
    );
  });

  test("with too many slips is refused at once, with its first", () => {
    const item = "- a: [\n  x\n]\n";
    const { problems } = read(`openapi: 3.1.0\nx:\n${item.repeat(1_000)}`, "api.yaml");
    assert.deepEqual(
      problems.map(({ code, line }) => `${code} ${line}`),
      ["description_invalid 3"],
    );
  });

  test("with aliases that expand to gigabytes is refused", () => {
    const lines = ["openapi: 3.1.0", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let level = 1; level < 12; level++) {
      const alias = `*a${level - 1}`;
      lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => alias).join(", ")}]`);
    }
    const { problems } = read(lines.join("\n"), "api.yaml");
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["description_invalid"],
    );
  });

  test("with ordinary aliases is read", () => {
    const text = [
      "openapi: 3.1.0",
      "x-page: &page {in: query, schema: {type: integer}}",
      "paths:",
      "  /a: {get: {parameters: [{<<: *page, name: from}, {<<: *page, name: to}]}}",
    ].join("\n");
    const { description } = read(text, "api.yaml");
    const [entry] = description?.operations ?? [];
    const endpoint = entry && (description?.getSubject(entry) as Endpoint);
    assert.deepEqual(
      endpoint?.parameters.map(({ name, schema }) => [name, schema.type]),
      [
        ["from", ["integer"]],
        ["to", ["integer"]],
      ],
    );
  });

  test("on another host has its problems where the site names it", () => {
    const { description, problems } = read(
      '{"openapi":"3.1.0","paths":{"/a":{"get":{"parameters":[{"$ref":"#/x"}]}}}}',
      "https://example.com/api.json",
    );
    const [entry] = description?.operations ?? [];
    if (entry) description?.getSubject(entry);
    assert.deepEqual(problems, [
      {
        severity: "warning",
        code: "description_reference",
        message:
          '"$ref" names "#/x", which does not exist; this part is omitted. (in https://example.com/api.json)',
        file: "docs.json",
      },
    ]);
  });
});

suite("schemas are converted to 3.1", () => {
  const table: readonly [name: string, written: unknown, expected: Schema | undefined][] = [
    ["nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
    ["types", { type: ["string", "null"] }, { type: ["string", "null"] }],
    [
      "an exclusive bound of 3.0",
      { minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
      { exclusiveMinimum: 1, maximum: 5 },
    ],
    ["an exclusive bound of 3.1", { exclusiveMaximum: 9 }, { exclusiveMaximum: 9 }],
    ["an example", { example: 1, examples: [2] }, { examples: [1, 2] }],
    ["named examples", { examples: { a: { value: 1 }, b: 2 } }, { examples: [1, 2] }],
    [
      "a tuple of older drafts",
      { items: [{ type: "string" }] },
      { prefixItems: [{ type: ["string"] }] },
    ],
    ["everything", true, {}],
    ["nothing", false, { not: {} }],
    ["no more properties", { additionalProperties: false }, {}],
    ["values of no sense", { type: 5, minimum: "1", required: "a", properties: [] }, {}],
    ["a text", "string", undefined],
    ["a constant that is null", { const: null, default: null }, { default: null, const: null }],
  ];
  for (const [name, written, expected] of table) {
    test(name, () => assert.deepEqual(schemaOf(written).schema, expected));
  }
});

test("badges come from the schema and from the configured keys", () => {
  const schema = {
    nullable: true,
    "x-level": 2,
    "x-for": ["staff", 3, {}],
    "x-not": false,
    "x-mint": { pre: ["PII"], post: ["indexed", 4] },
  };
  const document = { openapi: "3.0.0", components: { schemas: { A: schema } } };
  const source = { file: "a.json", name: "a.json", text: JSON.stringify(document) };
  const shownKeys = ["nullable", "x-level", "x-for", "x-not", "x-none"];
  const main = parseDescriptionFile(source, () => {});
  assert.ok(main);
  const description = readDescription(main, { report: () => {}, shownKeys });
  const model = description?.getSubject({ model: "A" });
  assert.ok(model?.kind === "model");
  assert.deepEqual(model.schema.pre, ["PII"]);
  assert.deepEqual(model.schema.post, ["nullable", "2", "staff", "3", "indexed"]);
});

suite("references", () => {
  test("schemas refer to each other and to themselves, each read once", () => {
    const { schema, schemas } = schemaOf(
      { $ref: "#/components/schemas/Node", description: "The first." },
      {
        Node: {
          properties: {
            next: { $ref: "#/components/schemas/Node" },
            leaf: { $ref: "#/components/schemas/Leaf" },
          },
        },
        Leaf: { allOf: [{ $ref: "#/components/schemas/Node" }] },
        Unused: {},
      },
    );
    assert.deepEqual(schema, { $ref: "Node", description: "The first." });
    assert.deepEqual(Object.keys(schemas), ["Node", "Leaf"]);
    assert.deepEqual(schemas["Leaf"], { allOf: [{ $ref: "Node" }] });
  });

  test("a part of a schema has a key of its own", () => {
    const { schema, schemas } = schemaOf(
      { items: { $ref: "#/components/schemas/A~1B/properties/C" } },
      { "A/B": { properties: { C: { type: "string" } } }, C: { type: "integer" } },
    );
    const name = schema?.items?.$ref ?? "";
    assert.notEqual(name, "C");
    assert.deepEqual(schemas, { [name]: { type: ["string"] } });
  });

  test("names of built-in JavaScript members are ordinary names", () => {
    const text =
      '{"openapi":"3.1.0","components":{"schemas":{"__proto__":{"type":"string"},"constructor":{"type":"integer"}}},"paths":{"/a":{"get":{"requestBody":{"content":{"a/b":{"schema":{"properties":{"__proto__":{},"x":{"$ref":"#/components/schemas/constructor"},"y":{"$ref":"#/components/schemas/__proto__"},"z":{"$ref":"#/components/schemas/toString"}}}}}}}}}}';
    const { description, problems } = read(text);
    const [entry] = description?.operations ?? [];
    const endpoint = entry && (description?.getSubject(entry) as Endpoint);
    assert.deepEqual(Object.values(endpoint?.schemas ?? {}), [
      { type: ["integer"] },
      { type: ["string"] },
    ]);
    assert.deepEqual(Object.keys(endpoint?.body?.contents[0]?.schema?.properties ?? {}), [
      "x",
      "y",
      "z",
    ]);
    assert.equal(problems.length, 1);
  });

  const table: readonly [reference: string, message: RegExp][] = [
    ["#/components/schemas/Gone", /"#\/components\/schemas\/Gone", which does not exist/],
    ["#Gone", /"#Gone", which is not a pointer/],
    ["other.json#/A", /"other.json#\/A", which does not exist/],
    ["../other.json#/A", /which is outside the site's folder/],
    ["other.ts#/A", /which is not a \.json or \.yaml file/],
    ["http://example.com/a.json", /which is not an https address/],
  ];
  for (const [reference, message] of table) {
    test(`${reference} is omitted and reported once`, () => {
      const { schema, messages } = schemaOf({
        items: { $ref: reference },
        not: { $ref: reference },
      });
      assert.deepEqual(schema, { items: {}, not: {} });
      assert.equal(messages.length, 1);
      assert.match(messages[0] ?? "", message);
    });
  }

  test("any part may be a reference, also to another reference", () => {
    const { endpoint, messages } = endpointOf(
      {
        parameters: [{ $ref: "#/components/parameters/Again" }],
        requestBody: { $ref: "#/components/requestBodies/B" },
        responses: { 200: { $ref: "#/paths/~1b%7Bid%7D/get/responses/200" } },
      },
      {
        paths: {
          "/a": { $ref: "#/components/pathItems/A" },
          "/b{id}": { get: { responses: { 200: { description: "Shared." } } } },
        },
        components: {
          pathItems: {
            A: {
              get: {
                parameters: [{ $ref: "#/components/parameters/Again" }],
                responses: { 200: { $ref: "#/paths/~1b%7Bid%7D/get/responses/200" } },
              },
            },
          },
          parameters: {
            Again: { $ref: "#/components/parameters/P" },
            P: { name: "p", in: "query" },
          },
        },
      },
    );
    assert.deepEqual(
      endpoint.parameters.map(({ name }) => name),
      ["p"],
    );
    assert.equal(endpoint.responses[0]?.description, "Shared.");
    assert.deepEqual(messages, []);
  });

  test("cycles end", () => {
    const { endpoint, messages } = endpointOf(
      { parameters: [{ $ref: "#/components/parameters/A" }] },
      {
        components: {
          parameters: {
            A: { $ref: "#/components/parameters/B" },
            B: { $ref: "#/components/parameters/A" },
          },
        },
      },
    );
    assert.deepEqual(endpoint.parameters, []);
    assert.match(messages[0] ?? "", /is circular/);
  });

  test("a mapping names schemas by reference or by name", () => {
    const { schema, schemas } = schemaOf(
      {
        discriminator: {
          propertyName: "kind",
          mapping: { a: "#/components/schemas/A", b: "B", c: "C" },
        },
      },
      { A: { type: "string" }, B: {} },
    );
    assert.deepEqual(schema?.discriminator, { propertyName: "kind", mapping: { a: "A", b: "B" } });
    assert.deepEqual(Object.keys(schemas), ["A", "B"]);
  });
});

suite("an operation", () => {
  test("inherits from its path and its document", () => {
    const item = {
      servers: [{ url: "/path" }],
      parameters: [
        { name: "id", in: "path", description: "Of the path." },
        { name: "q", in: "query" },
      ],
      get: { parameters: [{ name: "q", in: "query", required: true }], security: [] },
      post: { servers: [{ url: "/own" }] },
    };
    const { description } = readJson({
      servers: [{ url: "https://{a}", variables: { a: { default: "x", enum: ["x", "y"] } } }],
      security: [{ key: [] }, {}],
      components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
      paths: { "/a/{id}": item, "/b": { get: {} } },
    });
    const endpoints = description?.operations.map(
      (entry) => description.getSubject(entry) as Endpoint,
    );
    const [get, post, other] = endpoints ?? [];
    assert.deepEqual(
      get?.parameters.map(({ name, isRequired }) => [name, isRequired]),
      [
        ["id", true],
        ["q", true],
      ],
    );
    assert.deepEqual(get?.security, []);
    assert.deepEqual([get?.servers[0]?.url, post?.servers[0]?.url], ["/path", "/own"]);
    assert.deepEqual(other?.servers, [
      { url: "https://{a}", variables: { a: { default: "x", values: ["x", "y"] } } },
    ]);
    assert.deepEqual(post?.security, [
      [{ name: "key", type: "key", location: "header", keyName: "X-Key", scopes: [] }],
      [],
    ]);
  });

  test("has callbacks and samples", () => {
    const { endpoint } = endpointOf({
      callbacks: {
        paid: { "{$request.body#/url}": { post: { requestBody: { content: { "a/b": {} } } } } },
      },
      "x-codeSamples": [{ lang: "Python", source: "import x" }, { lang: "Go" }, 5],
    });
    assert.deepEqual(
      endpoint.callbacks.map(({ title, method, path }) => [title, method, path]),
      [["paid", "post", "{$request.body#/url}"]],
    );
    assert.deepEqual(endpoint.samples, [
      { language: "python", label: "Python", source: "import x" },
    ]);
  });

  test("that is invalid in parts is read without them", () => {
    const { endpoint, messages } = endpointOf({
      summary: 5,
      parameters: [
        "a",
        { in: "query" },
        { name: "b", in: "body" },
        { name: "c", in: "query", schema: 7 },
      ],
      requestBody: [],
      responses: {
        200: null,
        404: { content: { "a/b": { examples: { x: { value: null }, y: 3 } } } },
      },
      security: [{ unknown: [] }],
      tags: "a",
      servers: {},
      "x-mint": "no",
    });
    assert.equal(endpoint.title, "GET /a");
    assert.deepEqual(
      endpoint.parameters.map(({ name, schema }) => [name, schema]),
      [["c", {}]],
    );
    assert.deepEqual(
      endpoint.responses.map(({ status }) => status),
      ["404"],
    );
    assert.deepEqual(endpoint.responses[0]?.contents[0]?.examples, [{ name: "x", value: null }]);
    assert.equal(messages.length, 3);
  });

  test("that refers to more than a page can show has empty schemas for the rest", () => {
    const text = "x".repeat(limits.subjectBytes / 4);
    const names = Array.from({ length: 8 }, (_, index) => `S${index}`);
    const schemas = Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          description: text,
          properties: { next: { $ref: `#/components/schemas/S${(index + 1) % 8}` } },
        },
      ]),
    );
    const read = schemaOf({ $ref: "#/components/schemas/S0" }, schemas);
    const values = Object.values(read.schemas);
    assert.ok(JSON.stringify(values).length <= limits.subjectBytes);
    assert.deepEqual(values.at(-1), {});
    assert.match(
      read.messages.join(),
      /larger than one page can show; the page omits these schemas: "/,
    );
  });

  test("with examples larger than a page keeps its title", () => {
    const value = "x".repeat(limits.subjectBytes);
    const { endpoint, messages } = endpointOf({
      summary: "Large",
      responses: { 200: { content: { "a/b": { example: value } } } },
    });
    assert.equal(endpoint.title, "Large");
    assert.ok(JSON.stringify(endpoint).length < limits.subjectBytes);
    assert.match(messages.join(), /parameters, responses, callbacks and code samples are omitted/);
  });
});

suite("no value at any place makes reading throw", () => {
  const schema = {
    $ref: "#/components/schemas/A",
    items: { type: "string" },
    properties: { a: {} },
  };
  const content = { "a/b": { schema, examples: { x: { value: 1 } } } };
  const openapi = {
    openapi: "3.1.0",
    servers: [{ url: "https://a", variables: { b: { default: "c", enum: ["d"] } } }],
    security: [{ key: ["scope"] }],
    tags: [{ name: "t", "x-group": "g" }],
    paths: {
      "/a": {
        parameters: [{ name: "p", in: "query", schema, content }],
        get: {
          tags: ["t"],
          summary: "s",
          requestBody: { content },
          responses: { 200: { headers: { h: { schema } }, content } },
          callbacks: { c: { "/d": { post: { requestBody: { content } } } } },
          "x-mint": { href: "/h", metadata: { title: "t" }, content: "c" },
          "x-codeSamples": [{ lang: "l", source: "s" }],
        },
      },
    },
    components: {
      schemas: {
        A: { allOf: [schema], discriminator: { propertyName: "p", mapping: { a: "A" } } },
      },
      securitySchemes: { key: { type: "http", scheme: "bearer" } },
    },
  };
  const message = { $ref: "#/components/messages/m" };
  const asyncapi = {
    asyncapi: "3.0.0",
    servers: { s: { host: "h", protocol: "p", security: [{ type: "http" }] } },
    channels: {
      c: {
        address: "a",
        parameters: { p: { enum: ["x"] } },
        messages: { m: message },
        publish: { message },
      },
    },
    operations: { o: { action: "send", channel: { $ref: "#/channels/c" }, messages: [message] } },
    components: {
      messages: { m: { payload: { schema }, examples: [{ payload: 1 }] } },
      schemas: { A: {} },
    },
  };
  const swagger = {
    swagger: "2.0",
    host: "h",
    basePath: "/b",
    schemes: ["https"],
    consumes: ["a/b"],
    produces: ["a/b"],
    parameters: { p: { name: "p", in: "formData", type: "file", "x-example": 1 } },
    responses: { r: { schema, headers: { h: { type: "array", items: schema } } } },
    paths: {
      "/a": {
        parameters: [{ $ref: "#/parameters/p" }],
        get: {
          schemes: ["http"],
          parameters: [{ name: "b", in: "body", schema }],
          responses: { 200: { $ref: "#/responses/r" }, 400: { examples: { "a/b": 1 } } },
          security: [{ key: ["scope"] }],
        },
      },
    },
    definitions: {
      A: { discriminator: "p", properties: { p: {} } },
      B: { allOf: [{ $ref: "#/definitions/A" }] },
    },
    securityDefinitions: { key: { type: "basic" } },
  };
  const values = [
    null,
    5,
    "x",
    [],
    {},
    true,
    [[]],
    { $ref: "#" },
    { $ref: "#/paths" },
    { $ref: 5 },
  ];
  for (const [name, document] of Object.entries({ openapi, swagger, asyncapi })) {
    test(name, () => {
      for (const place of placesIn(document)) {
        for (const value of values) {
          const { description } = read(JSON.stringify(replaced(document, place, value)));
          const subjects = [...(description?.operations ?? []), ...(description?.channels ?? [])];
          for (const entry of subjects) JSON.stringify(description?.getSubject(entry));
          description?.getSubject({ model: "A" });
        }
      }
    });
  }
});

/** The keys that lead to each value within a value. */
function placesIn(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    [key],
    ...placesIn(child).map((place) => [key, ...place]),
  ]);
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}
