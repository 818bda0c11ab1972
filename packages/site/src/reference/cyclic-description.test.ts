import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { renderApiPage } from "../../../../test/support/api-page.ts";
import { limits } from "../core/index.ts";
import { parseDescriptionFile, readDescription } from "../openapi/index.ts";
import { createMergeSteps, createResolver, type NamedSchemas } from "./schema/resolve-schema.ts";
import { ShapeBuilder } from "./schema/shape-builder.ts";

type Json = Readonly<Record<string, unknown>>;

const reference = (index: number) => ({ $ref: `#/components/schemas/S${index}` });

/** A description whose schemas all refer to all others, as `property` says. */
function cyclicDescription(
  counts: { readonly schemas: number; readonly operations: number },
  property: (index: number) => Json,
): string {
  const names = Array.from({ length: counts.schemas }, (_, index) => index);
  const properties = Object.fromEntries(names.map((index) => [`p${index}`, property(index)]));
  const schemas = Object.fromEntries(
    names.map((index) => [`S${index}`, { type: "object", properties }]),
  );
  const contentOf = (index: number) => ({
    content: { "application/json": { schema: reference(index % counts.schemas) } },
  });
  const paths = Object.fromEntries(
    Array.from({ length: counts.operations }, (_, index) => [
      `/o${index}`,
      { post: { requestBody: contentOf(index), responses: { 200: contentOf(index + 1) } } },
    ]),
  );
  return JSON.stringify({ openapi: "3.1.0", paths, components: { schemas } });
}

function readText(text: string) {
  const main = parseDescriptionFile({ file: "api.json", name: "api.json", text }, () => {});
  return main && readDescription(main, { report: () => {} });
}

async function renderSome(text: string, count: number) {
  const description = readText(text);
  assert.ok(description);
  const operations = description.operations.slice(0, count);
  return await Promise.all(
    operations.map(async (operation) => {
      const subject = description.getSubject(operation);
      const { html, problems } = await renderApiPage(subject);
      return { subjectBytes: JSON.stringify(subject).length, html, problems };
    }),
  );
}

suite("a description whose schemas all refer to each other", () => {
  test("costs in proportion to its size, and its pages say that they are cut", async () => {
    const operations = 400;
    const text = cyclicDescription({ schemas: 56, operations }, reference);
    assert.ok(text.length > 200_000);
    for (const { html, subjectBytes, problems } of await renderSome(text, 4)) {
      assert.ok(html.length * operations < 60 * text.length, "HTML");
      assert.ok(subjectBytes * operations < 70 * text.length, "what a page is given");
      assert.deepEqual([...new Set(problems.map(({ code }) => code))], ["description_too_large"]);
    }
  });

  test("fills a few pages as any other does", async () => {
    const text = cyclicDescription({ schemas: 56, operations: 4 }, reference);
    const [page] = await renderSome(text, 1);
    assert.ok(page && page.html.length > limits.schemaBytes / 2);
    const [problem, ...others] = page.problems;
    assert.match(
      problem?.message ?? "",
      /^The schemas of this page need more than the 1160 KB that a page and its expandable parts can hold,/,
    );
    assert.deepEqual(others, []);
  });

  for (const [name, property] of Object.entries({
    "merges with others": (index: number) => ({
      allOf: [reference(index), reference((index + 1) % 56)],
    }),
    "stands beside words": (index: number) => ({ ...reference(index), description: "Text." }),
    "is one of several": (index: number) => ({
      oneOf: [reference(index), reference((index + 1) % 56)],
    }),
  })) {
    test(`is shown when each reference ${name}`, async () => {
      const text = cyclicDescription({ schemas: 56, operations: 2 }, property);
      const [page] = await renderSome(text, 1);
      assert.ok(page && page.html.length < 3 * limits.schemaBytes);
      const isUnmerged = page.problems.some(({ message }) => message.includes("allOf merges more"));
      assert.equal(isUnmerged, name === "merges with others");
    });
  }

  test("is merged once, however many ways lead to the same schemas", () => {
    const schemas: NamedSchemas = {
      Tree: {
        allOf: [{ items: { $ref: "Tree" }, properties: { parent: { $ref: "List" } } }],
        oneOf: [{ $ref: "List" }],
      },
      List: {
        items: {
          properties: {
            parent: { items: { properties: { next: {} } } },
            next: {
              $ref: "List",
              items: { properties: { parent: { $ref: "Tree" }, next: {} } },
            },
          },
        },
      },
    };
    const steps = createMergeSteps();
    const { remaining } = steps;
    const builder = new ShapeBuilder(createResolver(schemas, steps));
    builder.createShape({ $ref: "List" }, { direction: "request", anchor: "body" });
    builder.fill();
    assert.ok(remaining - steps.remaining < 200, `${remaining - steps.remaining} steps`);
    assert.deepEqual(builder.omissions.formatMessages(false), []);
  });

  test("has no part that is left out without a problem", async () => {
    const parts = Array.from({ length: 120 }, (_, at) => ({
      properties: { [`p${at}`]: { type: "string" } },
    }));
    const lists = Array.from({ length: 20 }).reduce<Json>((items) => ({ type: "array", items }), {
      type: "string",
      description: "The innermost",
    });
    const expected: Readonly<Record<string, RegExp>> = {
      parts: /^The schemas of this page are only partly shown, because allOf merges more/,
      lists: /^Lists within lists are shown to 16 levels, so deeper levels are omitted at #body\.$/,
    };
    for (const [name, schema] of Object.entries({ parts: { allOf: parts }, lists })) {
      const requestBody = { content: { "application/json": { schema } } };
      const paths = { "/a": { post: { requestBody, responses: {} } } };
      const [page] = await renderSome(JSON.stringify({ openapi: "3.1.0", paths }), 1);
      assert.equal(page?.problems.length, 1, name);
      assert.match(page.problems[0]?.message ?? "", expected[name] ?? /^$/);
    }
  });
});
