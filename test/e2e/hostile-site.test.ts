import assert from "node:assert/strict";
import { readFile, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

const canary = "canary-of-a-foreign-file";

/** Pages that cost at most themselves; each must be named in the report. */
const hostilePages: Record<string, string | Uint8Array> = {
  "expression-10k.mdx": `a ${"{[".repeat(10_000)}1${"]}".repeat(10_000)} b`,
  "expression-100k.mdx": `a {${"(".repeat(100_000)}1${")".repeat(100_000)}} b`,
  "unclosed-100k.mdx": "{".repeat(100_000),
  "attribute-100k.mdx": `<Card title={${"[".repeat(100_000)}1${"]".repeat(100_000)}}>x</Card>`,
  "export-100k.mdx": `export const a = ${"[".repeat(100_000)}1${"]".repeat(100_000)}\n\ntext`,
  "operators-100k.mdx": `{${"!".repeat(100_000)}1}`,
  "tags-50k.mdx": `${"<div>".repeat(50_000)}x${"</div>".repeat(50_000)}`,
  "tags-lines-50k.mdx": `${"<Card>\n".repeat(50_000)}x\n${"</Card>\n".repeat(50_000)}`,
  "fifty-megabytes.mdx": Buffer.alloc(50 * 1024 * 1024, "word "),
};

/** Pages that are shown, with something to say about them. */
const oddPages: Record<string, string | Uint8Array> = {
  "invalid-utf8.mdx": Buffer.concat([
    Buffer.from("# Text\n\nbefore "),
    Buffer.from([0xff, 0xfe]),
    Buffer.from(" after"),
  ]),
  "nul.mdx": "# Text\n\nbefore \0 after",
  "snippet-outside.mdx": 'import A from "../../outside/secret.mdx"\n\n<A />\n\nafter',
  "snippet-absolute.mdx": 'import A from "/etc/hostname"\n\n<A />\n\nafter',
  "component.mdx":
    "export const A = () => {\n  const [n] = useState(1);\n  process.getBuiltinModule('fs').writeFileSync('/tmp/octavo-ran', '');\n  require('fs'); import('node:fs'); ({}).constructor.constructor('process.exit(1)')();\n  return <b>{n}</b>;\n};\n\n<A />\n\nafter",
  "image-outside.mdx": "![x](../../outside/picture.png) after",
  "linked-snippet.mdx": 'import A from "/snippets/link.mdx"\n\n<A />\n\nafter',
};

async function writeHostileSite(root: string): Promise<void> {
  const names = [...Object.keys(hostilePages), ...Object.keys(oddPages), "index.mdx"];
  await writeFiles(root, {
    "outside/secret.mdx": canary,
    "outside/picture.png": canary,
    "site/docs.json": JSON.stringify({
      name: "Hostile",
      navigation: {
        pages: [
          ...names.map((name) => name.replace(".mdx", "")),
          "../outside/secret",
          "/etc/passwd",
          { $ref: "./cycle.json" },
        ],
      },
    }),
    "site/cycle.json": JSON.stringify({ group: "Cycle", pages: [{ $ref: "./cycle.json" }] }),
    "site/index.mdx": "---\ntitle: Home\n---\n\nA page like others.",
    "site/snippets/note.mdx": "A snippet.",
  });
  await writeFiles(join(root, "site"), { ...hostilePages, ...oddPages });
  await symlink(join(root, "outside/secret.mdx"), join(root, "site/linked-page.mdx"));
  await symlink(join(root, "outside/secret.mdx"), join(root, "site/snippets/link.mdx"));
  await symlink(join(root, "outside/picture.png"), join(root, "site/linked.png"));
  await symlink(join(root, "outside"), join(root, "site/linked-folder"));
}

test("hostile pages cost themselves and nothing else", async () => {
  await using folder = await temporaryFolder();
  await writeHostileSite(folder.path);
  const outDir = join(folder.path, "out");
  const result = await renderSite({ siteDir: join(folder.path, "site"), outDir });

  const files = await readdir(outDir, { recursive: true });
  assert.ok((await readFile(join(outDir, "index.html"), "utf8")).includes("A page like others."));
  const named = new Set(result.problems.map((problem) => problem.file));
  for (const name of [...Object.keys(hostilePages), ...Object.keys(oddPages)]) {
    assert.ok(files.includes(name.replace(".mdx", ".html")), `${name} has a page`);
  }
  for (const name of [...Object.keys(hostilePages), "invalid-utf8.mdx", "nul.mdx"]) {
    assert.ok(named.has(name), `the report names ${name}`);
  }
  for (const name of Object.keys(oddPages)) {
    const html = await readFile(join(outDir, name.replace(".mdx", ".html")), "utf8");
    assert.match(html, /after/, `${name} is shown`);
  }
  for (const file of await readdir(outDir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const text = await readFile(join(file.parentPath, file.name), "utf8");
    assert.ok(!text.includes(canary), `${file.name} holds nothing from outside the site`);
  }
  for (const part of ["linked-page", "linked-folder", "linked.png", "cycle.json", "docs.json"]) {
    assert.ok(
      [...named].some((name) => name.startsWith(part)),
      `the report names ${part}`,
    );
  }
});
