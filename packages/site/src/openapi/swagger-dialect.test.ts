import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Problem } from "../core/index.ts";
import { parseDescriptionFile, readDescription } from "./index.ts";

type Json = Readonly<Record<string, unknown>>;

/** The content of the page of `POST /a`, and its problems. */
function endpointOf(operation: Json, document: Json = {}) {
  const problems: Problem[] = [];
  const report = (problem: Problem) => problems.push(problem);
  const paths = { "/a": { post: operation } };
  const text = JSON.stringify({ swagger: "2.0", paths, ...document });
  const main = parseDescriptionFile({ file: "api.json", name: "api.json", text }, report);
  const description = main && readDescription(main, { report });
  const [entry] = description?.operations ?? [];
  const endpoint = entry && description?.getSubject(entry);
  assert.ok(endpoint?.kind === "operation");
  return { endpoint, messages: problems.map(({ message }) => message) };
}

const json = "application/json";

suite("addresses of servers", () => {
  const table: readonly [document: Json, operation: Json, urls: string[]][] = [
    [{}, {}, []],
    [{ host: "a.example" }, {}, ["https://a.example"]],
    [{ host: "a.example", basePath: "/" }, {}, ["https://a.example"]],
    [{ basePath: "/v1/" }, {}, ["/v1"]],
    [
      { host: "a.example:8080", basePath: "/v1", schemes: ["http", "ws", "file"] },
      {},
      ["http://a.example:8080/v1", "ws://a.example:8080/v1"],
    ],
    [{ host: "a.example", schemes: ["http"] }, { schemes: ["https"] }, ["https://a.example"]],
  ];
  for (const [document, operation, urls] of table) {
    test(JSON.stringify([document, operation]), () => {
      const { endpoint } = endpointOf(operation, document);
      assert.deepEqual(
        endpoint.servers.map(({ url }) => url),
        urls,
      );
    });
  }
});

suite("parameters", () => {
  test("are schemas themselves, with constraints and examples", () => {
    const size = {
      name: "size",
      in: "query",
      description: "How many.",
      type: "integer",
      format: "int32",
      default: 20,
      maximum: 100,
      exclusiveMaximum: true,
      "x-example": 10,
    };
    const { endpoint } = endpointOf(
      { parameters: [{ $ref: "#/parameters/size" }, { name: "id", in: "path", type: "string" }] },
      { parameters: { size } },
    );
    assert.deepEqual(endpoint.parameters, [
      {
        name: "size",
        location: "query",
        description: "How many.",
        isRequired: false,
        isDeprecated: false,
        schema: { type: ["integer"], format: "int32", default: 20, exclusiveMaximum: 100 },
        examples: [{ name: "example", value: 10 }],
      },
      {
        name: "id",
        location: "path",
        isRequired: true,
        isDeprecated: false,
        schema: { type: ["string"] },
        examples: [],
      },
    ]);
  });

  const formats: readonly [format: string | undefined, expected: Json][] = [
    [undefined, { explode: false }],
    ["csv", { explode: false }],
    ["multi", { explode: true }],
    ["ssv", { style: "spaceDelimited", explode: false }],
    ["tsv", { style: "tabDelimited", explode: false }],
    ["pipes", { style: "pipeDelimited", explode: false }],
    ["constructor", {}],
  ];
  for (const [collectionFormat, expected] of formats) {
    test(`lists with the format ${collectionFormat ?? "by default"}`, () => {
      const list = { name: "a", in: "query", type: "array", collectionFormat };
      const { endpoint } = endpointOf({ parameters: [{ ...list, items: { type: "string" } }] });
      const { style, explode, schema } = endpoint.parameters[0] ?? {};
      const found = { ...(style && { style }), ...(explode !== undefined && { explode }) };
      assert.deepEqual(found, expected);
      assert.deepEqual(schema, { type: ["array"], items: { type: ["string"] } });
    });
  }

  test("of places that there are not are reported", () => {
    const { endpoint, messages } = endpointOf({ parameters: [{ name: "a", in: "cookie" }] });
    assert.deepEqual(endpoint.parameters, []);
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? "", /"in" with path, query, header, body or formData;/);
  });
});

suite("bodies", () => {
  const schema = { $ref: "#/definitions/Plant" };
  const definitions = { Plant: { type: "object", "x-nullable": true } };

  test("have their media types from the operation, else from the document", () => {
    const body = { name: "b", in: "body", description: "It.", required: true, schema };
    const read = (consumes: unknown, more: Json) =>
      endpointOf({ parameters: [body], consumes }, { definitions, ...more }).endpoint;
    const types = (consumes: unknown, more: Json = {}) =>
      read(consumes, more).body?.contents.map(({ mediaType }) => mediaType);
    assert.deepEqual(types(undefined), [json]);
    assert.deepEqual(types(undefined, { consumes: ["text/xml", "text/xml"] }), ["text/xml"]);
    assert.deepEqual(types(["a/b", json], { consumes: ["text/xml"] }), ["a/b", json]);
    const { body: found, schemas } = read(undefined, {});
    assert.deepEqual(found, {
      description: "It.",
      isRequired: true,
      contents: [{ mediaType: json, schema: { $ref: "Plant" }, examples: [] }],
    });
    assert.deepEqual(schemas, { Plant: { type: ["object", "null"] } });
  });

  test("are made of the fields of forms", () => {
    const name = { name: "name", in: "formData", type: "string", required: true };
    const picture = { name: "picture", in: "formData", type: "file", description: "Of it." };
    const odd = { name: "__proto__", in: "formData", type: "string" };
    const { body } = endpointOf(
      { parameters: [name, picture, odd] },
      { consumes: [json] },
    ).endpoint;
    assert.deepEqual(body, {
      isRequired: true,
      contents: [
        {
          mediaType: "multipart/form-data",
          schema: {
            type: ["object"],
            properties: {
              name: { type: ["string"] },
              picture: { type: ["string"], format: "binary", description: "Of it." },
            },
            required: ["name"],
          },
          examples: [],
        },
      ],
    });
    const typesOf = (operation: Json) =>
      endpointOf(operation).endpoint.body?.contents.map(({ mediaType }) => mediaType);
    assert.deepEqual(typesOf({ parameters: [name] }), ["application/x-www-form-urlencoded"]);
    const consumes = ["multipart/form-data; charset=utf-8"];
    assert.deepEqual(typesOf({ parameters: [name], consumes }), consumes);
  });
});

suite("responses", () => {
  test("have schemas, headers and examples by media type", () => {
    const { endpoint } = endpointOf(
      {
        responses: {
          200: {
            description: "Found.",
            schema: { type: "string" },
            headers: { "X-Left": { type: "integer", description: "Requests." } },
            examples: { [json]: "a", "text/csv": "b" },
          },
          204: { description: "Nothing." },
          404: { $ref: "#/responses/Gone" },
        },
      },
      { produces: [json, "text/xml"], responses: { Gone: { examples: { "text/plain": "Gone" } } } },
    );
    const schema = { type: ["string"] };
    assert.deepEqual(endpoint.responses, [
      {
        status: "200",
        description: "Found.",
        headers: [
          {
            name: "X-Left",
            description: "Requests.",
            isRequired: false,
            isDeprecated: false,
            schema: { type: ["integer"] },
            examples: [],
          },
        ],
        contents: [
          { mediaType: json, schema, examples: [{ name: "example", value: "a" }] },
          { mediaType: "text/xml", schema, examples: [] },
          { mediaType: "text/csv", schema, examples: [{ name: "example", value: "b" }] },
        ],
      },
      { status: "204", description: "Nothing.", headers: [], contents: [] },
      {
        status: "404",
        headers: [],
        contents: [{ mediaType: "text/plain", examples: [{ name: "example", value: "Gone" }] }],
      },
    ]);
  });
});

test("ways to authenticate", () => {
  const securityDefinitions = {
    plain: { type: "basic" },
    key: { type: "apiKey", name: "X-Key", in: "header" },
    login: { type: "oauth2", flow: "implicit", scopes: { read: "Read." } },
  };
  const security = [{ plain: [] }, { key: [], login: ["read"] }, { gone: [] }];
  const { endpoint, messages } = endpointOf({ security }, { securityDefinitions });
  assert.deepEqual(endpoint.security, [
    [{ name: "plain", type: "basic", scopes: [] }],
    [
      { name: "key", type: "key", location: "header", keyName: "X-Key", scopes: [] },
      { name: "login", type: "oauth2", scopes: ["read"], scopeDescriptions: { read: "Read." } },
    ],
    [],
  ]);
  assert.match(messages.join(), /"gone" is not defined in securityDefinitions;/);
});

test("the values of a discriminator are the schemas that are made of its own", () => {
  const base = { $ref: "#/definitions/Plant" };
  const definitions = {
    Plant: { discriminator: "kind", properties: { kind: { type: "string" }, age: {} } },
    Tree: { allOf: [base, { properties: { height: { type: "number" } } }] },
    Herb: { allOf: [base] },
  };
  const responses = { 200: { schema: { $ref: "#/definitions/Tree" } } };
  const { schemas } = endpointOf({ responses }, { definitions }).endpoint;
  assert.deepEqual(Object.keys(schemas), ["Tree", "Plant"]);
  assert.deepEqual(schemas["Plant"], {
    properties: { kind: { type: ["string"], enum: ["Plant", "Tree", "Herb"] }, age: {} },
    discriminator: { propertyName: "kind", mapping: {} },
    subtypes: [{ $ref: "Tree" }, { $ref: "Herb" }],
  });
});
