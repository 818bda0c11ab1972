import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { planPropertyRuns } from "../../../../../test/support/property-runs.ts";
import { endpointOf } from "../../../../../test/support/sample-endpoint.ts";
import type { Endpoint, Parameter, Schema, SecurityScheme } from "../../openapi/index.ts";
import { createExampleSteps } from "./example-value.ts";
import { createResolver } from "../schema/resolve-schema.ts";
import { findSampleLanguage, listSampleLanguages } from "./languages.ts";
import { createSampleRequest, type SampleBody, type SampleRequest } from "./request.ts";

function requestOf(parts: Partial<Endpoint>, requiredOnly = false): SampleRequest {
  const endpoint = endpointOf(parts);
  return createSampleRequest(endpoint, {
    requiredOnly,
    resolve: createResolver(endpoint.schemas),
    steps: createExampleSteps(),
  });
}

function labels(names?: readonly string[]): string[] {
  return listSampleLanguages(names).map(({ label }) => label);
}

function write(language: string, request: SampleRequest): string {
  const found = findSampleLanguage(language);
  assert.ok(found, language);
  return found.write(request);
}

const scheme = (parts: Partial<SecurityScheme>): SecurityScheme => ({
  name: "s",
  type: "bearer",
  scopes: [],
  ...parts,
});
const parameter = (
  name: string,
  location: Parameter["location"],
  value: unknown,
  parts: Partial<Parameter> = {},
): Parameter => ({
  name,
  location,
  isRequired: true,
  isDeprecated: false,
  schema: {},
  examples: [{ name: "one", value }],
  ...parts,
});
suite("the request that samples make", () => {
  const rows: readonly [
    name: string,
    parts: Partial<Endpoint>,
    expected: Partial<SampleRequest>,
  ][] = [
    [
      "goes to the first server",
      {},
      { method: "GET", url: "https://api.nursery.example/v1/plants" },
    ],
    [
      "fills in what servers leave open",
      {
        servers: [
          {
            url: "https://{region}.x.dev/{base}/",
            variables: { region: { default: "eu", values: [] } },
          },
        ],
      },
      { url: "https://eu.x.dev/{base}/plants" },
    ],
    ["needs no server", { servers: [] }, { url: "https://api.example.com/plants" }],
    [
      "knows a path as a server",
      { servers: [{ url: "/v2", variables: {} }] },
      { url: "https://api.example.com/v2/plants" },
    ],
    [
      "keeps placeholders, and fills them with examples",
      {
        path: "/a/{id}/{kind}",
        parameters: [
          parameter("kind", "path", "x/y"),
          parameter("id", "path", "", { examples: [] }),
        ],
      },
      { url: "https://api.nursery.example/v1/a/{id}/x%2Fy" },
    ],
    [
      "writes lists and objects as the description says",
      {
        parameters: [
          parameter("a", "query", ["x", "y z"]),
          parameter("b", "query", ["x", "y"], { style: "form", explode: false }),
          parameter("c", "query", ["x", "y"], { style: "pipeDelimited", explode: false }),
          parameter("d", "query", { k: 1 }, { style: "deepObject" }),
          parameter("e", "query", { k: 1 }),
          parameter("f", "query", { k: 1, l: 2 }, { explode: false }),
        ],
      },
      {
        url: "https://api.nursery.example/v1/plants?a=x&a=y%20z&b=x%2Cy&c=x%7Cy&d%5Bk%5D=1&k=1&f=k%2C1%2Cl%2C2",
      },
    ],
    [
      "leaves out what is optional and without an example, and what is deprecated",
      {
        parameters: [
          parameter("a", "query", "1", { isRequired: false }),
          parameter("b", "query", "1", { isRequired: false, examples: [] }),
          parameter("c", "query", "1", { isRequired: false, isDeprecated: true }),
        ],
      },
      { url: "https://api.nursery.example/v1/plants?a=1" },
    ],
    [
      "shows who asks in a header",
      { security: [[scheme({ type: "basic" })], [scheme({})]] },
      { headers: [["Authorization", "Basic <encoded-value>"]] },
    ],
    [
      "shows who asks in all ways that are needed together",
      {
        security: [
          [
            scheme({ type: "key", location: "query", keyName: "key" }),
            scheme({ type: "key", location: "cookie", keyName: "session" }),
            scheme({ type: "oauth2" }),
          ],
        ],
        parameters: [parameter("theme", "cookie", "dark"), parameter("Accept", "header", "x")],
      },
      {
        url: "https://api.nursery.example/v1/plants?key=API_KEY",
        headers: [
          ["Authorization", "Bearer <token>"],
          ["Cookie", "theme=dark; session=<api-key>"],
        ],
      },
    ],
    [
      "has headers of one line",
      { parameters: [parameter("X-A\r\nX-B", "header", "1\n2")] },
      { headers: [["X-A X-B", "1 2"]] },
    ],
  ];
  for (const [name, parts, expected] of rows) {
    test(name, () => {
      const request = requestOf(parts);
      for (const [key, value] of Object.entries(expected)) {
        assert.deepEqual(request[key as keyof SampleRequest], value, key);
      }
    });
  }

  const schema: Schema = {
    type: ["object"],
    required: ["name"],
    properties: {
      name: { type: ["string"] },
      born: { type: ["string"], format: "date" },
      picture: { type: ["string"], contentMediaType: "image/png" },
      id: { type: ["string"], readOnly: true },
    },
  };
  const bodies: readonly [mediaType: string, schema: Schema, expected: SampleBody][] = [
    [
      "application/json",
      schema,
      { kind: "json", value: { name: "<string>", born: "2024-05-14", picture: "<file>" } },
    ],
    ["application/vnd.x+json", { examples: [[1]] }, { kind: "json", value: [1] }],
    [
      "application/x-www-form-urlencoded",
      { properties: { a: { const: "x y" }, b: { default: 2 } } },
      { kind: "form", fields: [["a", "x y"], ["b", "2"]] }, // prettier-ignore
    ],
    [
      "multipart/form-data",
      schema,
      {
        kind: "multipart",
        parts: [
          { name: "name", value: "<string>", isFile: false },
          { name: "born", value: "2024-05-14", isFile: false },
          { name: "picture", value: "example-file", isFile: true },
        ],
      },
    ],
    ["text/plain", { type: ["string"] }, { kind: "text", text: "<string>" }],
    [
      "application/pdf",
      { type: ["string"], format: "binary" },
      { kind: "file", file: "example-file" },
    ],
  ];
  for (const [mediaType, schema, expected] of bodies) {
    test(`has a body of ${mediaType}`, () => {
      const body = { isRequired: true, contents: [{ mediaType, schema, examples: [] }] };
      const request = requestOf({ method: "post", body });
      assert.deepEqual(request.body, expected);
      const type = request.headers.find(([name]) => name === "Content-Type")?.[1];
      assert.equal(type, mediaType.startsWith("multipart/") ? undefined : mediaType);
    });
  }

  test("has only what is required, if the site wants that", () => {
    const body = {
      isRequired: true,
      contents: [{ mediaType: "application/json", schema, examples: [] }],
    };
    const request = requestOf({ method: "post", body }, true);
    assert.deepEqual(request.body, { kind: "json", value: { name: "<string>" } });
  });
});

const hostileTexts = [
  "'",
  '"',
  "\\",
  "\\\\",
  "a\\",
  '\\"',
  "\\'",
  "`",
  "$(id)",
  "${x}",
  "$x",
  "#{x}",
  "#$x",
  "#@x",
  "\\(x)",
  "\n",
  "\r\n",
  "\t",
  "\u2028",
  "\u0000",
  "\u0001",
  "\u007f",
  "\u0085",
  "??/",
  '??/"',
  "\\u0022",
  "\\u005c\\u0022",
  '"""',
  '\\"""',
  "'''",
  '"#',
  '"##',
  "*/",
  "//",
  "?>",
  "\ud800",
  "😀",
  "@file",
  "’",
  "‘’‚‛",
  "';",
  '");',
  "`);",
  "__proto__",
  "{{x}}",
  "%s",
  "]]>",
  "<!--",
  "EOF",
  "'@\n",
  "\\\n",
  "\\x41",
  "\\N{DIGIT ONE}",
  ";type=x", // prettier-ignore
];

/** Pieces that end strings in one language or another, in any order. */
const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ maxLength: 4 })), { maxLength: 6 })
  .map((parts) => parts.join(""));

const escaped = String.raw`"(?:[^"\\\n\r]|\\[^\n\r])*"`;
const block = String.raw`"""\n(?:[^"\\]|\\[^]|"(?!""))*"""`;

/** The form of a string literal in each language, and text that would be evaluated within it. */
const literals: Readonly<Record<string, { readonly literal: RegExp; readonly live?: RegExp }>> = {
  curl: { literal: /(?:'[^']*'|\\')+/g },
  python: { literal: new RegExp(escaped, "g") },
  javascript: { literal: new RegExp(escaped, "g") },
  node: { literal: new RegExp(escaped, "g") },
  typescript: { literal: new RegExp(escaped, "g") },
  php: { literal: /'(?:[^'\\]|\\[^])*'/g },
  go: { literal: new RegExp(`${escaped}|\`[^\`]*\``, "g") },
  java: { literal: new RegExp(`${block}|${escaped}`, "g") },
  ruby: { literal: new RegExp(escaped, "g"), live: /(?<!\\)(?:\\\\)*#[{$@]/ },
  csharp: { literal: new RegExp(String.raw`"""\n(?:[^"]|"(?!""))*"""|${escaped}`, "g") },
  dotnet: { literal: new RegExp(String.raw`"""\n(?:[^"]|"(?!""))*"""|${escaped}`, "g") },
  powershell: { literal: /'(?:[^'‘’‚‛]|['‘’‚‛]{2})*'/g },
  swift: { literal: new RegExp(`${block}|${escaped}`, "g"), live: /(?<!\\)(?:\\\\)*\\\(/ },
  kotlin: {
    literal: new RegExp(String.raw`"""\n(?:[^"]|"(?!""))*"""|${escaped}`, "g"),
    live: /(?<!\\)(?:\\\\)*\$(?!\{'\$'\}|'\})/,
  },
  rust: { literal: new RegExp(String.raw`r(#+)"[^]*?"\1|${escaped}`, "g") },
  dart: { literal: new RegExp(`${escaped}|'[^'\\n]*'`, "g"), live: /(?<!\\)(?:\\\\)*\$/ },
  c: { literal: new RegExp(escaped, "g"), live: /\?\?[=/'()!<>-]/ },
  "c++": { literal: new RegExp(escaped, "g"), live: /\?\?[=/'()!<>-]/ },
};

suite("languages of samples", () => {
  test("are seven by default, else those that the site names, in its order", () => {
    assert.deepEqual(labels(), ["cURL", "Python", "JavaScript", "PHP", "Go", "Java", "Ruby"]);
    assert.deepEqual(labels(["TS", "sh", "curl", "klingon", ".NET"]), [
      "TypeScript",
      "cURL",
      ".NET",
    ]);
    const documented =
      "bash curl sh shell python py javascript js node nodejs node.js php go golang java ruby rb powershell swift csharp c# dotnet .net dot-net typescript ts c c++ cpp kotlin kt rust rs dart flutter";
    for (const name of documented.split(" ")) assert.ok(findSampleLanguage(name), name);
  });

  const request: SampleRequest = {
    method: "POST",
    url: "https://x.dev/a?b=c",
    headers: [["X-A", "1"]],
  };
  const bodies: readonly SampleBody[] = [
    { kind: "json", value: { a: [1, null, true, { b: 'it\'s "q"' }], "b-c": {} } },
    { kind: "form", fields: [["a", "1"], ["b", "x y"]] }, // prettier-ignore
    { kind: "multipart", parts: [{ name: "a", value: "1", isFile: false }, { name: "f", value: "example-file", isFile: true }] }, // prettier-ignore
    { kind: "text", text: "@not-a-file" },
    { kind: "file", file: "example-file" },
  ];

  test("curl sends text as text and files as files", () => {
    const options = bodies.map((body) =>
      write("curl", { ...request, body })
        .split("\n  ")
        .slice(3),
    );
    assert.deepEqual(options.at(1), ["--data-urlencode 'a=1' \\", "--data-urlencode 'b=x y'"]);
    assert.deepEqual(options.at(2), ["--form 'a=1' \\", "--form 'f=@example-file'"]);
    assert.deepEqual(options.at(3), ["--data-raw '@not-a-file'"]);
    assert.deepEqual(options.at(4), ["--data-binary '@example-file'"]);
    const hostile = { name: "a", value: "@/etc/passwd", isFile: false };
    const body = { kind: "multipart", parts: [hostile] } as const;
    assert.ok(write("curl", { ...request, body }).endsWith("--form-string 'a=@/etc/passwd'"));
  });

  test("JavaScript sends the request when it is run", async () => {
    const values = hostileTexts.map((text, index) =>
      [`${text}${index}`, text].map((part) => part.toWellFormed()),
    );
    const body = { kind: "json", value: Object.fromEntries(values) as unknown } as const;
    const headers = [["X-A", 'it\'s "q" \\ `$x`']] as const;
    const sent = await runFetch({ ...request, headers, body });
    assert.equal(sent.url, request.url);
    assert.deepEqual({ ...sent.options.headers }, Object.fromEntries(headers));
    assert.deepEqual(JSON.parse(sent.options.body), JSON.parse(JSON.stringify(body.value)));
  });

  for (const language of listSampleLanguages(Object.keys(literals))) {
    for (const { kind } of bodies) {
      test(`${language.label}: no text changes the code around it (${kind})`, () => {
        const harmless = skeleton(language.names, language.write(requestWith("a b", kind)));
        assert.ok(!harmless.includes("a b"), harmless);
        fc.assert(
          fc.property(hostileText, (text) => {
            const written = language.write(requestWith(text, kind));
            assert.equal(skeleton(language.names, written), harmless, written);
          }),
          { ...planPropertyRuns(150), examples: hostileTexts.map((text): [string] => [text]) },
        );
      });
    }
  }
});

function requestWith(text: string, kind: SampleBody["kind"]): SampleRequest {
  const made: Readonly<Record<SampleBody["kind"], SampleBody>> = {
    json: { kind: "json", value: { [`k ${text}`]: [text, { [`l ${text}`]: text }] } },
    form: { kind: "form", fields: [[`f ${text}`, text]] },
    multipart: {
      kind: "multipart",
      parts: [{ name: `p ${text}`, value: `v${text}`, isFile: false }],
    },
    text: { kind: "text", text },
    file: { kind: "file", file: text },
  };
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
  return {
    method: "POST",
    url: `https://x.dev/${line}`,
    headers: [["X-A", line]],
    body: made[kind],
  };
}

/** A program without the texts in it. */
function skeleton(names: readonly string[], code: string): string {
  const [, rule] = Object.entries(literals).find(([name]) => names.includes(name)) ?? [];
  assert.ok(rule, names.join(" "));
  return code
    .replaceAll(rule.literal, (literal) => {
      if (rule.live) assert.doesNotMatch(literal, rule.live);
      return "S";
    })
    .replaceAll(/\bS(?:\s+S)+/g, "S")
    .replaceAll(/--form(?:-string)? S/g, "--form S");
}

interface Sent {
  readonly url: string;
  readonly options: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

async function runFetch(request: SampleRequest): Promise<Sent> {
  let sent: Sent | undefined;
  const fetch = (url: string, options: Sent["options"]) => {
    sent = { url, options };
    return Promise.resolve({ text: () => Promise.resolve("") });
  };
  const code = `(async () => {${write("javascript", request)}\n})()`;
  await (runInNewContext(code, { fetch, console: { log: () => {} }, JSON }) as Promise<void>);
  assert.ok(sent, "nothing was sent");
  return sent;
}
