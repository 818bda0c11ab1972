import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { suite, test } from "node:test";
import { checkSite } from "../packages/site/src/check/index.ts";
import type { Problem } from "../packages/site/src/core/index.ts";
import { renderSite } from "../packages/site/src/export/index.ts";
import { exportedSite } from "./support/exported-site.ts";
import type { ExportedSite } from "./support/exported-site.ts";
import { readablePart } from "./support/readable-html.ts";
import { sharedChildren } from "./support/shared-children.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

/**
 * Each folder of `test/sites/` that has an `expected` folder is exported, and every file in there is
 * held against the bundle's:
 *
 * - `guides/start.html` is what the page itself says: the content of its element `#content`;
 * - `guides/start#sidebar.html` is the content of the element with that id, `#head` that of `<head>`;
 * - `problems.txt` is what the check finds, a line each;
 * - any other name is a file of the bundle, byte by byte.
 *
 * `OCTAVO_TEST_UPDATE=1` writes the files that are there anew, and for an empty folder the pages and
 * the problems. Read the difference before it is committed: what stands in it is what is promised.
 */
const folder = join(import.meta.dirname, "sites");
const children = sharedChildren();
const isUpdate = process.env["OCTAVO_TEST_UPDATE"] === "1";

// Each has a child: while one renders, another is compared.
suite("golden sites", { concurrency: 2 }, () => {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "expected")));
  for (const name of names) test(name, () => compareSite(join(folder, name)));
});

async function compareSite(dir: string): Promise<void> {
  await using out = await temporaryFolder();
  const { folder: bundle, result } = await exportSite(dir, out.path);
  const { problems, site } = result;
  const expected = join(dir, "expected");
  const found = readdirSync(expected, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(expected.length + 1));
  const pages = site.pages.map(({ path }) => `${path}.html`);
  const files = isUpdate && found.length === 0 ? [...pages, "problems.txt"] : found;
  for (const file of files.toSorted()) {
    const actual = await actualFile(file, bundle, problems);
    if (isUpdate) await write(join(expected, file), actual);
    assert.equal(actual, await readFile(join(expected, file), "utf8"), file);
  }
  for (const page of pages) {
    const controls = controlsInTitles(await readFile(join(bundle, page), "utf8"));
    assert.deepEqual(controls, [], `${page}: in a title that opens`);
  }
}

/** Returns controls inside titles that open: such a title is a button and must not contain focusable elements. */
function controlsInTitles(html: string): readonly string[] {
  const titles = html.matchAll(/<summary[\s>][^]*?<\/summary>/g);
  const control =
    /<(?:a\s(?=[^>]*href=)|button|input|select|textarea)(?![^>]*tabindex="-1")[^>]*>/g;
  return [...titles].flatMap(([title]) => title.match(control) ?? []);
}

/** Into `outDir`, where a site has options of its own. */
async function exportSite(dir: string, outDir: string): Promise<ExportedSite> {
  const siteDir = join(dir, "docs");
  const settings = join(dir, "options.json");
  if (!existsSync(settings)) return await exportedSite(siteDir, children);
  const options = JSON.parse(await readFile(settings, "utf8")) as object;
  const places = { siteDir, outDir, workers: 1, children };
  return { folder: outDir, result: await renderSite({ ...options, ...places, check: checkSite }) };
}

async function actualFile(
  file: string,
  bundle: string,
  problems: readonly Problem[],
): Promise<string> {
  if (file === "problems.txt")
    return problems.map((problem) => `${problemLine(problem)}\n`).join("");
  if (!file.endsWith(".html")) return await readFile(join(bundle, file), "utf8");
  const [path, id = "content"] = file.slice(0, -".html".length).split("#");
  const part = readablePart(await readFile(join(bundle, `${path}.html`), "utf8"), id);
  assert.ok(part !== undefined, `${path}.html has no element #${id}`);
  return part;
}

function problemLine({ severity, code, file, line, column, message }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${severity} ${code} ${place} ${message}`;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
