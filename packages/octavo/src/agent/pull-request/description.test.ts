import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fillTemplate } from "../pull-request-text.ts";
import { findMissingHeadings } from "../tools/read.ts";
import { findTemplate } from "./description.ts";

function reader(files: Readonly<Record<string, string>>) {
  return {
    list: async (folder: string) =>
      Object.keys(files)
        .map((path) => [path.slice(0, Math.max(path.lastIndexOf("/"), 0)), path] as const)
        .filter(([parent]) => parent === folder)
        .map(([, path]) => path.slice(path.lastIndexOf("/") + 1)),
    read: async (path: string) => files[path],
  };
}

describe("findTemplate", () => {
  const cases: readonly (readonly [
    name: string,
    files: Readonly<Record<string, string>>,
    path: string | undefined,
  ])[] = [
    [
      "GitHub's own folder",
      { ".github/PULL_REQUEST_TEMPLATE.md": "a", "pull_request_template.md": "b" },
      ".github/PULL_REQUEST_TEMPLATE.md",
    ],
    [
      "the root",
      { "pull_request_template.txt": "a", "docs/PULL_REQUEST_TEMPLATE.md": "b" },
      "pull_request_template.txt",
    ],
    ["docs", { "docs/Pull_Request_Template.md": "b" }, "docs/Pull_Request_Template.md"],
    [
      "the variant for documentation",
      {
        ".github/pull_request_template.md": "a",
        ".github/PULL_REQUEST_TEMPLATE/docs.md": "b",
        ".github/PULL_REQUEST_TEMPLATE/bug.md": "c",
      },
      ".github/PULL_REQUEST_TEMPLATE/docs.md",
    ],
    [
      "GitLab's default",
      {
        ".gitlab/merge_request_templates/Default.md": "a",
        ".gitlab/merge_request_templates/Bug.md": "b",
      },
      ".gitlab/merge_request_templates/Default.md",
    ],
    [
      "the only variant",
      { ".gitlab/merge_request_templates/Change.md": "a" },
      ".gitlab/merge_request_templates/Change.md",
    ],
    [
      "none of several",
      {
        ".github/PULL_REQUEST_TEMPLATE/bug.md": "a",
        ".github/PULL_REQUEST_TEMPLATE/feature.md": "b",
      },
      undefined,
    ],
    [
      "none that is empty or too long",
      { "pull_request_template.md": "a".repeat(6_001) },
      undefined,
    ],
    ["none", { "README.md": "a" }, undefined],
  ];
  for (const [name, files, path] of cases) {
    it(`finds ${name}`, async () => {
      assert.equal((await findTemplate(reader(files)))?.path, path);
    });
  }

  it("leaves out its frontmatter", async () => {
    const files = { "pull_request_template.md": "---\nname: x\n---\n\n## What\n" };
    assert.equal((await findTemplate(reader(files)))?.text, "## What");
  });
});

const template = {
  path: "x.md",
  text: "Thanks!\n\n<!-- ## Not this -->\n## Type of work\n\n### What changed?\n\n## Tests ##",
};

describe("a template", () => {
  it("has headings that a description must keep", () => {
    assert.deepEqual(findMissingHeadings(template, "# type of work\n## **What changed**\n"), [
      "Tests",
    ]);
    assert.deepEqual(findMissingHeadings(template, template.text), []);
  });

  it("is filled in where it asks for a description", () => {
    assert.equal(
      fillTemplate(template, "Words."),
      "Thanks!\n\n\n## Type of work\n\n### What changed?\n\nWords.\n\n\n## Tests ##",
    );
    assert.equal(fillTemplate({ path: "", text: "Thanks!" }, "Words."), "Words.\n\nThanks!");
  });
});
