import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { writeSite } from "../../../../../test/sites/temporary-site.ts";
import { createFolderReader, findGuides, maxGuideBytes } from "./find-guides.ts";

type Files = Readonly<Record<string, string>>;

async function find(t: TestContext, files: Files, siteFolder = "") {
  const root = await writeSite(t, files);
  const prefix = siteFolder === "" ? "" : `${siteFolder}/`;
  const inSite = Object.keys(files).flatMap((path) =>
    path.startsWith(prefix) && path.endsWith(".mdx") ? [path.slice(prefix.length)] : [],
  );
  const nested = Object.keys(files).flatMap((path) =>
    path.startsWith(prefix) && path.endsWith("AGENTS.md") ? [path.slice(prefix.length)] : [],
  );
  return await findGuides({
    reader: createFolderReader(root),
    siteFolder,
    files: [...inSite, ...nested],
    pages: new Set(inSite),
  });
}

const filler = "Run the tests before you commit. ".repeat(60);

const rule = (head: string, words: string) => `---\n${head}\n---\n\n${words} ${filler}`;

describe("the guides of a repository", () => {
  it("are those of the site's folder first, then of the folders above, then of those within", async (t) => {
    const guides = await find(
      t,
      {
        "docs/site/guides/AGENTS.md": "Guides only.",
        "AGENTS.md": "Root.",
        "docs/CLAUDE.md": "Between.",
        "docs/site/CLAUDE.md": "Root.",
        "docs/site/.mintlify/AGENTS.md": "Own.",
        "docs/site/AGENTS.md": "Own too.",
        "docs/site/index.mdx": "",
        "other/AGENTS.md": "Another folder.",
      },
      "docs/site",
    );
    assert.deepEqual(
      guides.map(({ path, text, folder }) => [path, text, folder]),
      [
        ["docs/site/.mintlify/AGENTS.md", "Own.", undefined],
        ["docs/site/AGENTS.md", "Own too.", undefined],
        ["docs/site/CLAUDE.md", "Root.", undefined],
        ["docs/CLAUDE.md", "Between.", undefined],
        ["docs/site/guides/AGENTS.md", "Guides only.", "docs/site/guides"],
      ],
    );
  });

  it("concern documentation in some sections, in all, or not at all", async (t) => {
    const code = `# Code\n\n## Commits\n\n${filler}\n\n`;
    const guides = await find(
      t,
      {
        "docs/index.mdx": "",
        "docs/CLAUDE.md": code,
        "AGENTS.md": `${code}## Documentation style\n\nSay sign in.\n\n### Words\n\nLamp.\n\n## Releases\n\n${filler}\n\n## Sites\n\nPages are in docs/ here.\n`,
        "CLAUDE.md": code,
        "CONTRIBUTING.md": "## Writing\n\nShort.",
        "STYLE_GUIDE.md": `# Style\n\n${filler}`,
      },
      "docs",
    );
    const excerpts = new Map(guides.map(({ path, excerpt }) => [path, excerpt]));
    assert.equal(excerpts.get("docs/CLAUDE.md"), code.trim());
    assert.equal(
      excerpts.get("AGENTS.md"),
      "## Documentation style\n\nSay sign in.\n\n### Words\n\nLamp.\n\n## Sites\n\nPages are in docs/ here.",
    );
    assert.equal(excerpts.get("CONTRIBUTING.md"), "## Writing\n\nShort.");
    assert.equal(excerpts.get("STYLE_GUIDE.md"), `# Style\n\n${filler}`.trim());
    // The text is the same as in the site's folder, so it is returned only once.
    assert.equal(excerpts.has("CLAUDE.md"), false);
  });

  it("hold rules of Cursor and Copilot for the files that they name", async (t) => {
    const guides = await find(
      t,
      {
        "docs/guides/start.mdx": "",
        ".cursor/rules/pages.mdc": rule(
          "description: x\nglobs: *.mdx\nalwaysApply: false",
          "Pages.",
        ),
        ".cursor/rules/folder.mdc": rule('globs:\n  - "src/**"\n  - docs/guides/**', "Folder."),
        ".cursor/rules/code.mdc": rule('globs: ["src/**/*.{ts,tsx}", "*.js"]', "Code."),
        ".cursor/rules/all.mdc": rule("alwaysApply: true", "All."),
        ".cursor/rules/readme.md": "No rule.",
        ".cursorrules": "Short.",
        ".github/copilot-instructions.md": "Also short.",
        ".github/instructions/docs.instructions.md": rule(
          'applyTo: "docs/**/*.mdx,x/**"',
          "Copilot.",
        ),
        ".github/instructions/bad.instructions.md": rule("applyTo: '(a+)+$[*'", "Bad."),
      },
      "docs",
    );
    const first = guides.map(({ path, excerpt }) => [path, /^\w*/.exec(excerpt)?.[0]]);
    assert.deepEqual(Object.fromEntries(first), {
      ".cursorrules": "Short",
      ".github/copilot-instructions.md": "Also",
      ".cursor/rules/all.mdc": "",
      ".cursor/rules/code.mdc": "",
      ".cursor/rules/folder.mdc": "Folder",
      ".cursor/rules/pages.mdc": "Pages",
      ".github/instructions/bad.instructions.md": "",
      ".github/instructions/docs.instructions.md": "Copilot",
    });
  });

  it("hold what Vale asks of words", async (t) => {
    const guides = await find(t, {
      ".vale.ini":
        "StylesPath = .vale/styles\nVocab = Lantern, Old\n\n[*.mdx]\nBasedOnStyles = Vale, Google\n",
      ".vale/styles/config/vocabularies/Lantern/accept.txt": "# names\nOAuth\n(?i)lantern\n",
      ".vale/styles/Vocab/Old/reject.txt": "log in\r\n",
    });
    assert.deepEqual(
      guides.map(({ text }) => text),
      [
        "Styles that the linter Vale checks: Vale, Google.\nSpell these as they are here: OAuth, lantern.\nAvoid: log in.",
      ],
    );
  });

  it("include what CLAUDE.md imports, inside the repository and within bounds", async (t) => {
    const many = Array.from({ length: 30 }, (_, index) => `@many/${index}.md`).join("\n");
    const guides = await find(
      t,
      {
        "docs/CLAUDE.md": `@../shared/style.md\n- @words.txt\n\`\`\`\n@in-code.md\n\`\`\`\n@../../outside.md\n@/etc/passwd.md\n@~/own.md\n@.git/config.md\n@.env\n@CLAUDE.local.md\nSee @inline.md\n`,
        "shared/style.md": "Style.\n@circle.md\n",
        "shared/circle.md": `Circle.\n@style.md\n${many}`,
        "docs/words.txt": "Words.",
        "docs/in-code.md": "no",
        "docs/inline.md": "no",
        "docs/.env": "no",
        "docs/CLAUDE.local.md": "no",
        "docs/.git-not/x.md": "no",
        ...Object.fromEntries(
          Array.from({ length: 30 }, (_, index) => [`shared/many/${index}.md`, `Many ${index}`]),
        ),
      },
      "docs",
    );
    const paths = guides.map(({ path }) => path);
    assert.deepEqual(paths.slice(0, 3), ["docs/CLAUDE.md", "shared/style.md", "shared/circle.md"]);
    assert.ok(guides.every(({ text }) => text !== "no"));
    assert.equal(paths.filter((path) => path.includes("many/")).length < 10, true);
  });

  it("exclude guides of one person, links, submodules, pages and files that are too large", async (t) => {
    const files = {
      "docs/index.mdx": "",
      "docs/style-guide.mdx": "A page.",
      "AGENTS.override.md": "Override.",
      "CLAUDE.local.md": "Local.",
      "docs/CLAUDE.local.md": "Local.",
      "CONTRIBUTING.md": "x".repeat(maxGuideBytes + 1),
      "secret.md": "Secret.",
      "lib/style-guide.md": "Submodule.",
    };
    const root = await writeSite(t, files);
    await symlink(join(root, "secret.md"), join(root, "AGENTS.md"));
    await symlink(join(root, "lib"), join(root, ".github"));
    await mkdir(join(root, "docs/docs/.git"), { recursive: true });
    const guides = await findGuides({
      reader: createFolderReader(root),
      siteFolder: "docs",
      files: ["index.mdx", "style-guide.mdx"],
      pages: new Set(["index.mdx", "style-guide.mdx"]),
    });
    assert.deepEqual(guides, []);
  });
});
