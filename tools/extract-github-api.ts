/**
 * Writes `test/fixtures/github-api.json`: the operations of GitHub's API that `codehost/github/` uses,
 * from GitHub's own description. Run it by hand when an operation is added or GitHub changes, with the
 * package `@octokit/openapi` installed somewhere (400 MB, so it is not a dependency):
 *
 *     node tools/extract-github-api.ts node_modules/@octokit/openapi
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const operations: readonly (readonly [path: string, method: string])[] = [
  ["/user", "get"],
  ["/repos/{owner}/{repo}", "get"],
  ["/repos/{owner}/{repo}/installation", "get"],
  ["/app/installations/{installation_id}/access_tokens", "post"],
  ["/repos/{owner}/{repo}/pulls", "get"],
  ["/repos/{owner}/{repo}/pulls", "post"],
  ["/repos/{owner}/{repo}/pulls/{pull_number}", "get"],
  ["/repos/{owner}/{repo}/pulls/{pull_number}", "patch"],
  ["/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", "post"],
  ["/repos/{owner}/{repo}/pulls/{pull_number}/comments", "get"],
  ["/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies", "post"],
  ["/repos/{owner}/{repo}/pulls/{pull_number}/reviews", "get"],
  ["/repos/{owner}/{repo}/issues/{issue_number}/comments", "get"],
  ["/repos/{owner}/{repo}/issues/{issue_number}/comments", "post"],
  ["/repos/{owner}/{repo}/issues/{issue_number}/labels", "post"],
  ["/repos/{owner}/{repo}/issues/comments/{comment_id}", "patch"],
  ["/repos/{owner}/{repo}/issues/comments/{comment_id}", "delete"],
  ["/repos/{owner}/{repo}/statuses/{sha}", "post"],
  ["/repos/{owner}/{repo}/hooks", "get"],
  ["/repos/{owner}/{repo}/hooks", "post"],
  ["/repos/{owner}/{repo}/hooks/{hook_id}", "patch"],
  ["/repos/{owner}/{repo}/hooks/{hook_id}", "delete"],
];

/** The fields that are read of answers: of a description of megabytes only their types are kept. */
const readFields: readonly string[] = (
  "id token full_name owner login number html_url state title body " +
  "draft created_at closed_at merged_at head base ref repo expires_at permissions " +
  "push path line original_line diff_hunk user in_reply_to_id author_association type submitted_at sha config url performed_via_github_app"
).split(" ");

type Json = Record<string, unknown>;
const maximumDepth = 30;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Give the folder of the package @octokit/openapi.");
const description = await readJson(join(folder, "generated", "api.github.com.json"));
const manifest = await readJson(join(folder, "package.json"));
await writeFile(
  join(import.meta.dirname, "../test/fixtures/github-api.json"),
  `${JSON.stringify(
    {
      source: `Extracted by tools/extract-github-api.ts from @octokit/openapi ${String(manifest["version"])} (GitHub's REST API description), MIT license, Copyright (c) 2020 Octokit contributors.`,
      paths: extractPaths(),
    },
    null,
    2,
  )}\n`,
);

async function readJson(file: string): Promise<Json> {
  return JSON.parse(await readFile(file, "utf8")) as Json;
}

function extractPaths(): Json {
  const paths: Record<string, Json> = {};
  for (const [path, method] of operations) {
    const operation = at(description, "paths", path, method);
    const responses = Object.entries(at(operation, "responses")).filter(
      ([status]) => status < "300",
    );
    paths[path] ??= {};
    paths[path][method] = {
      operationId: operation["operationId"],
      parameters: (operation["parameters"] as Json[]).map((parameter) => parameterOf(parameter)),
      requestBody: bodyOf(operation["requestBody"] as Json | undefined),
      responses: Object.fromEntries(
        responses.map(([status, response]) => [status, answerOf(response as Json)]),
      ),
    };
  }
  return paths;
}

function parameterOf(parameter: Json): Json {
  const { name, in: place, required = false, schema } = resolve(parameter);
  return { name, in: place, required, schema: inline(schema) };
}

function bodyOf(body: Json | undefined): unknown {
  return body && inline(at(body, "content", "application/json", "schema"));
}

function answerOf(response: Json): unknown {
  const content = resolve(response)["content"] as Json | undefined;
  // A response without content, such as that of a deletion, has no schema.
  if (!content) return {};
  return inline(at(content, "application/json")["schema"], readFields);
}

function at(value: unknown, ...keys: readonly string[]): Json {
  let found = value as Json;
  for (const key of keys) found = resolve(found[key] as Json);
  return found;
}

function resolve(value: Json): Json {
  const reference = (value as Json | undefined)?.["$ref"];
  if (typeof reference !== "string") return value;
  return at(description, ...reference.replace(/^#\//, "").split("/"));
}

/** The schema without references, words and examples; of an answer only the types of `fields`. */
function inline(value: unknown, fields?: readonly string[], depth = 0): unknown {
  if (depth > maximumDepth) return {};
  if (Array.isArray(value)) return value.map((item) => inline(item, fields, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  const result: Json = {};
  for (const [key, part] of Object.entries(resolve(value as Json))) {
    if (/^(?:description|example|examples|title|x-.*)$/.test(key) && typeof part !== "boolean")
      continue;
    if (key === "properties") result[key] = inlineProperties(part as Json, fields, depth);
    else if (key === "required" && fields) continue;
    else result[key] = inline(part, fields, depth + 1);
  }
  return fields ? loosen(result) : result;
}

/** Lets an answer match several forms, which few fields do not tell apart, but contain no invented fields. */
function loosen({ oneOf, ...schema }: Json): Json {
  return {
    ...schema,
    ...(oneOf === undefined ? {} : { anyOf: oneOf }),
    // Code that reads an answer detects missing fields.
    ...("properties" in schema && { additionalProperties: false }),
  };
}

function inlineProperties(
  properties: Json,
  fields: readonly string[] | undefined,
  depth: number,
): Json {
  const entries = Object.entries(properties).filter(([name]) => !fields || fields.includes(name));
  return Object.fromEntries(
    entries.map(([name, schema]) => [name, inline(schema, fields, depth + 1)]),
  );
}
