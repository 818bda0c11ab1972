import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { renderSite } from "../../packages/site/src/index.ts";
import { bundleFiles } from "../support/bundle-files.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";
import type { TemporaryFolder } from "../support/temporary-folder.ts";
import { packPackages, repository } from "./packed.ts";
import type { PackedPackage } from "./packed.ts";

/** Has icons of each set, a formula, a drawing, colored code, a redirect with a wildcard and a page that can be copied. */
const site = {
  "docs.json": JSON.stringify({
    theme: "mint",
    name: "Harbour",
    navigation: { pages: ["index"] },
    contextual: { options: ["copy"] },
    footer: { socials: { github: "https://github.com/example" } },
    redirects: [{ source: "/old/:path*", destination: "/index" }],
  }),
  "index.mdx":
    '---\ntitle: Home\nicon: rocket\n---\n\n<Icon icon="tabler:ship" /> <Icon icon="lucide:anchor" />\n\n' +
    "$a^2$\n\n```js\nconst a = 1;\n```\n\n```mermaid\ngraph TD\n  A --> B\n```\n",
};

describe("the packages", () => {
  let folder: TemporaryFolder;
  let packages: readonly PackedPackage[];
  before(async () => {
    folder = await temporaryFolder();
    packages = await packPackages(folder.path);
  });
  after(() => folder[Symbol.asyncDispose]());

  it("ship what is built, and nothing that only the repository needs", () => {
    assert.deepEqual(
      packages.map(({ name }) => name),
      ["octavo", "@octavo/site"],
    );
    for (const { name, files } of packages) {
      const beside = files.filter((path) => !/^(?:bin|demo|dist|starter)\//.test(path));
      assert.deepEqual(beside.toSorted(), ["LICENSE", "README.md", "package.json"], name);
      const foreign = files.filter((path) =>
        /(?<!\.d)\.ts$|\.(?:test|contract)|test-(?:support|process)|\/testing\./.test(path),
      );
      assert.deepEqual(foreign, [], name);
      assert(files.includes("dist/THIRD-PARTY-LICENSES.txt"), name);
    }
  });

  it("have the same version, and the program takes the library of that version", async () => {
    const path = join(repository, "packages/octavo/package.json");
    const manifest = JSON.parse(await readFile(path, "utf8")) as {
      readonly version: string;
      readonly dependencies: Readonly<Record<string, string>>;
    };
    assert.equal(manifest.dependencies["@octavo/site"], manifest.version);
    for (const { version } of packages) assert.equal(version, manifest.version);
  });

  it("render the same bytes from dist/ as from src/", async () => {
    await writeFiles(join(folder.path, "docs"), site);
    const built = pathToFileURL(join(repository, "packages/site/dist/index.js"));
    const library = (await import(built.href)) as { readonly renderSite: typeof renderSite };
    const siteDir = join(folder.path, "docs");
    for (const [name, render] of [
      ["src", renderSite],
      ["dist", library.renderSite],
    ] as const) {
      const { problems } = await render({ siteDir, outDir: join(folder.path, name) });
      assert.deepEqual(problems, []);
    }
    const [expected, files] = await Promise.all(
      ["src", "dist"].map((name) => bundleFiles(join(folder.path, name))),
    );
    assert(expected && files && expected.size > 10);
    assert.deepEqual([...files.keys()], [...expected.keys()]);
    for (const [path, bytes] of files) assert(expected.get(path)?.equals(bytes), path);
  });
});
