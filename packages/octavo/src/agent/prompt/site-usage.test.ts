import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openAgentSite } from "../../../../../test/support/agent-site.ts";
import { readSiteUsage } from "./site-facts.ts";

describe("what pages are built from", () => {
  it("is counted outside of code", async (t) => {
    const { workspace } = await openAgentSite(t, {
      "index.mdx": `---\ntitle: I\n---\n\nimport Hint from "/snippets/hint.mdx";\n\n<Hint level="low" />\n\n<Card title="A" /> and \`<Tab>\`.\n`,
      "how.mdx": `---\ntitle: H\n---\n\n\`\`\`mdx\nimport Other from "/shared/other.mdx";\n\n<Other /> <Tab>\n\`\`\`\n\n<Card title="B">\n</Card>\n`,
      "snippets/hint.mdx": "A hint.\n",
    });
    assert.deepEqual(await readSiteUsage(workspace), {
      components: [{ name: "Card", uses: 2, files: 2, example: '<Card title="B">' }],
      snippets: [{ path: "snippets/hint.mdx", names: ["Hint"], files: 1, attributes: ["level"] }],
    });
  });

  it("leaves out what a page defines for itself", async (t) => {
    const { workspace } = await openAgentSite(t, {
      "index.mdx": `---\ntitle: I\n---\n\nexport const Mark = () => <b>x</b>;\n\n<Mark /> <Card title="A" />\n`,
    });
    const { components } = await readSiteUsage(workspace);
    assert.deepEqual(
      components.map(({ name }) => name),
      ["Card"],
    );
  });

  it("is counted in pages that nobody would write, without taking minutes", async (t) => {
    const parts = ["`<A ", "<A {", "<A />", "<A a", 'import A from "'];
    const pages = parts.map((part, at) => [`${at}.mdx`, part.repeat(200_000)]);
    const { workspace } = await openAgentSite(t, Object.fromEntries(pages));
    const { components } = await readSiteUsage(workspace);
    assert.deepEqual(
      components.map(({ name }) => name),
      ["A"],
    );
  });
});
