/** Sites that were written to hold up whoever reads them. */

export interface HostileSite {
  readonly name: string;
  readonly files: () => Readonly<Record<string, string>>;
  /** How its export ends, and what its report or its error says. */
  readonly ends: "completed" | "failed";
  readonly says?: RegExp;
  /** Its export takes more than some seconds of CPU. */
  readonly isLong?: boolean;
}

const home = "---\ntitle: Home\n---\n\nWelcome.\n";
const config = { name: "Hostile", navigation: { pages: ["index"] } };
const withApi = {
  name: "Hostile",
  navigation: { groups: [{ group: "API", openapi: "openapi.json" }] },
};

function site(files: Readonly<Record<string, string>>, docs: object = config) {
  return { "docs.json": JSON.stringify(docs), "index.mdx": home, ...files };
}

type Json = Readonly<Record<string, unknown>>;

const reference = (index: number) => ({ $ref: `#/components/schemas/S${index}` });

/** Schemas that all refer to all others, as `property` says, and operations that show them. */
export function cyclicDescription(
  counts: { readonly schemas: number; readonly operations: number },
  property: (index: number) => Json = reference,
): string {
  const numbers = Array.from({ length: counts.schemas }, (_, index) => index);
  const properties = Object.fromEntries(numbers.map((index) => [`p${index}`, property(index)]));
  const schema = { type: "object", properties };
  const schemas = Object.fromEntries(numbers.map((index) => [`S${index}`, schema]));
  const contentOf = (index: number) => ({
    content: { "application/json": { schema: reference(index % counts.schemas) } },
  });
  const paths = Object.fromEntries(
    Array.from({ length: counts.operations }, (_, index) => [
      `/o${index}`,
      { post: { requestBody: contentOf(index), responses: { 200: contentOf(index + 1) } } },
    ]),
  );
  const info = { title: "A", version: "1" };
  return JSON.stringify({ openapi: "3.1.0", info, paths, components: { schemas } });
}

function largeYaml(bytes: number): string {
  const lines = ["openapi: 3.1.0", "info: {title: A, version: '1'}", "paths: {}", "x-large:"];
  const line = "  - {a: [1, 2, 3], b: {c: d, e: 'f'}}\n";
  return `${lines.join("\n")}\n${line.repeat(Math.ceil(bytes / line.length))}`;
}

/** Each name stands for ten of the one before. */
function yamlAliases(): string {
  const lines = ["openapi: 3.1.0", "paths: {}", "x-0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let level = 1; level < 12; level++) {
    const before = Array.from({ length: 10 }, () => `*a${level - 1}`).join(", ");
    lines.push(`x-${level}: &a${level} [${before}]`);
  }
  return lines.join("\n");
}

function nestedNavigation(depth: number): string {
  const begin = '{"group":"G","pages":[';
  return `{"name":"Hostile","navigation":{"pages":[${begin.repeat(depth)}"index"${"]}".repeat(depth)}]}}`;
}

const yamlNavigation = {
  name: "Hostile",
  navigation: {
    groups: [
      { group: "Home", pages: ["index"] },
      { group: "API", openapi: "openapi.yaml" },
    ],
  },
};

export const hostileSites: readonly HostileSite[] = [
  {
    name: "a pattern of 50,000 spaces",
    files: () => site({ ".mintignore": `a${" ".repeat(50_000)}b\n` }),
    ends: "completed",
    says: /ignore_pattern_unused/,
  },
  {
    name: "YAML of 1 MB",
    files: () => site({ "openapi.yaml": largeYaml(1024 ** 2) }, yamlNavigation),
    ends: "completed",
  },
  {
    name: "YAML of 14 MB",
    files: () => site({ "openapi.yaml": largeYaml(14 * 1024 ** 2) }, yamlNavigation),
    ends: "completed",
    isLong: true,
  },
  {
    name: "YAML whose aliases stand for a trillion values",
    files: () => site({ "openapi.yaml": yamlAliases() }, yamlNavigation),
    ends: "completed",
    says: /description_invalid/,
  },
  {
    name: "400 operations whose schemas all refer to each other",
    files: () =>
      site({ "openapi.json": cyclicDescription({ schemas: 58, operations: 400 }) }, withApi),
    ends: "completed",
    says: /description_too_large/,
    isLong: true,
  },
  {
    name: "operations whose schemas merge each other",
    files: () =>
      site(
        {
          "openapi.json": cyclicDescription({ schemas: 56, operations: 20 }, (index) => ({
            allOf: [reference(index), reference((index + 1) % 56)],
          })),
        },
        withApi,
      ),
    ends: "completed",
    says: /description_too_large/,
    isLong: true,
  },
  {
    name: "a configuration of 7 MB",
    files: () => site({}, { ...config, extra: Array.from({ length: 500_000 }, () => ["a", {}]) }),
    ends: "failed",
    says: /more than 1000000 values/,
    isLong: true,
  },
  {
    name: "navigation that is nested too deeply",
    files: () => ({ ...site({}), "docs.json": nestedNavigation(5_000) }),
    ends: "failed",
    says: /nested|deep/,
  },
  {
    name: "pages that are nested too deeply",
    files: () =>
      site({
        "a.mdx": `a ${"{[".repeat(50_000)}1${"]}".repeat(50_000)} b`,
        "b.mdx": `${"<div>".repeat(50_000)}x${"</div>".repeat(50_000)}`,
        "c.mdx": "> ".repeat(50_000),
      }),
    ends: "completed",
  },
  {
    name: "10,000 redirects and 50,000 links",
    files: () => ({
      ...site(
        {},
        {
          ...config,
          redirects: Array.from({ length: 10_000 }, (_, index) => ({
            source: `/${index}/:slug*`,
            destination: `/${index + 1}/:slug*`,
          })),
        },
      ),
      "index.mdx": `---\ntitle: Home\n---\n\n${Array.from({ length: 50_000 }, (_, index) => `[a](/${index}/b#c)`).join("\n")}`,
    }),
    ends: "completed",
    isLong: true,
  },
];
