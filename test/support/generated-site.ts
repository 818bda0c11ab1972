import * as fc from "fast-check";

/** Files of a site by path. */
export type GeneratedSite = Readonly<Record<string, string>>;

/** Texts that a configuration, a description or a list of patterns might contain anywhere, by mistake or by design. */
const oddTexts: readonly string[] = [
  "index",
  "../index",
  "/etc/passwd",
  "openapi.json",
  "openapi.json GET /o0",
  "https://host.example/openapi.json",
  "#/components/schemas/S0",
  "#/components/schemas/S1",
  "#/paths",
  "#",
  "#/%zz",
  "./docs.json",
  "__proto__",
  "constructor",
  "toString",
  "object",
  "array",
  "string",
  "null",
  "\0",
  "\uD800",
  "\uFEFF",
  "{{product}}",
  "*",
  "**/**/**/**",
  ":slug*",
  "é日本語🎉",
  "a".repeat(3_000),
  "*".repeat(300),
  "[".repeat(300),
  " ".repeat(3_000),
  "1e999",
  "2026-02-31",
  "",
];

const configurationKeys =
  "$ref name theme colors logo navigation pages group groups tabs anchors languages versions version language products dropdowns menu openapi asyncapi source directory redirects destination permanent api params post examples playground variables seo indexing metatags footer socials navbar links href primary icon iconLibrary fonts family styling latex".split(
    " ",
  );
const schemaKeys =
  "$ref type properties items allOf oneOf anyOf not required enum example examples default const additionalProperties patternProperties prefixItems discriminator propertyName mapping nullable description title format minimum exclusiveMinimum S0 S1 a b __proto__".split(
    " ",
  );
const operationKeys =
  "get post parameters requestBody responses callbacks content schema headers security servers url variables tags summary description in name examples value 200 default application/json $ref x-mint x-codeSamples x-hidden deprecated".split(
    " ",
  );

/** Any value whose objects mostly have these keys. */
function valuesWith(keys: readonly string[]): fc.Arbitrary<unknown> {
  const key = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...keys) },
    { weight: 1, arbitrary: fc.constantFrom(...oddTexts) },
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 6, depthSize: "medium" },
      fc.constantFrom(...oddTexts),
      fc.constantFrom(0, 1, -1, 1e21, true, false, null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 5 }),
    ),
  }));
  return value;
}

const schemas = fc.dictionary(fc.constantFrom("S0", "S1", "S2"), valuesWith(schemaKeys));
const operation = fc.dictionary(fc.constantFrom(...operationKeys), valuesWith(operationKeys), {
  maxKeys: 6,
});
const body = valuesWith(schemaKeys).map((schema) => ({
  content: { "application/json": { schema } },
}));

const description = fc
  .record({ schemas, operation, body, others: valuesWith(operationKeys) })
  .map((parts) => ({
    openapi: "3.1.0",
    info: { title: "A", version: "1" },
    paths: {
      "/o0": {
        get: parts.operation,
        post: { requestBody: parts.body, responses: { 200: parts.body } },
      },
      "/o1": parts.others,
    },
    components: { schemas: parts.schemas },
  }));

const pieces = [
  "openapi: 3.1.0\n",
  "paths:\n",
  "  /o0:\n",
  "    get: {}\n",
  "a: &a [x]\n",
  "b: *a\n",
  "c: *nothing\n",
  "<<: *a\n",
  "- ",
  "  ",
  "\t",
  "{",
  "}",
  "[",
  "]",
  "'",
  '"',
  ": ",
  "|\n",
  ">-\n",
  "#",
  "%TAG ! x\n",
  "---\n",
  "...\n",
  "!!js/function x\n",
  "!!binary aGk=\n",
  "? ",
  "\0",
  "\uD800",
  "1e999",
  "0o777",
  ".inf",
];
const yaml = fc
  .array(fc.constantFrom(...pieces), { maxLength: 60 })
  .map((parts) => `openapi: 3.1.0\n${parts.join("")}`);

/** The text with some of its characters removed, doubled or replaced. */
function damaged(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const cut = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    put: fc.constantFrom(...pieces),
  });
  return fc.tuple(texts, fc.array(cut, { maxLength: 3 })).map(([text, cuts]) => {
    let result = text;
    for (const { at, put } of cuts) {
      const place = Math.floor(at * result.length);
      result = result.slice(0, place) + put + result.slice(place + 1);
    }
    return result;
  });
}

const json = (values: fc.Arbitrary<unknown>) => values.map((value) => JSON.stringify(value));
const navigation = valuesWith(configurationKeys);
const configuration = fc
  .record({ navigation, extra: fc.dictionary(fc.constantFrom(...configurationKeys), navigation) })
  .map(({ navigation: own, extra }) => ({ name: "Generated", ...extra, navigation: own }));
const plainConfiguration = {
  name: "Generated",
  navigation: {
    groups: [
      { group: "API", openapi: "openapi.json" },
      { group: "Y", openapi: "o.yaml" },
    ],
  },
};
const patterns = fc.array(fc.constantFrom(...oddTexts, "!", "#", "\\", "a b", "?", "index.mdx"), {
  maxLength: 8,
});
const frontmatter = fc
  .dictionary(
    fc.constantFrom(
      "title",
      "openapi",
      "openapi-schema",
      "asyncapi",
      "mode",
      "tag",
      "hidden",
      "icon",
      "url",
    ),
    valuesWith(configurationKeys),
    { maxKeys: 4 },
  )
  .map((value) => `---\n${JSON.stringify(value, null, 1).slice(2, -2)}\n---\n\ntext\n`);

/** Sites whose configuration, descriptions, frontmatter and patterns are made up or damaged. */
export const generatedSite: fc.Arbitrary<GeneratedSite> = fc.record({
  "docs.json": fc.oneof(
    { weight: 2, arbitrary: json(configuration) },
    { weight: 1, arbitrary: damaged(json(configuration)) },
    { weight: 2, arbitrary: fc.constant(JSON.stringify(plainConfiguration)) },
  ),
  "openapi.json": fc.oneof(json(description), damaged(json(description))),
  "o.yaml": fc.oneof(yaml, damaged(json(description))),
  ".mintignore": patterns.map((lines) => lines.join("\n")),
  "index.mdx": frontmatter,
});
