import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { suite, test, type TestContext } from "node:test";
import { checkSite } from "../../packages/site/src/check/index.ts";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { writeSite } from "../sites/temporary-site.ts";
import { bundleFiles } from "../support/bundle-files.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { compareSite, reportOf } from "../words/compare-site.ts";
import { habitSites, type HabitSite } from "./sites.ts";

const children = sharedChildren();

suite("sites without a fault", () => {
  for (const site of habitSites) {
    test(`${site.name}: nothing is reported and nothing lost`, async (t) => {
      const { problems, bundle, result } = await exportSite(t, site);
      assert.deepEqual(problems, site.expected ?? []);
      const pages = compareSite(result.site, bundle);
      assert.ok(pages.length >= 6, `${pages.length} pages`);
      const lossy = pages.filter(({ lost, unread }) => lost.length + unread.length > 0);
      assert.equal(lossy.length, 0, reportOf(lossy));
      assert.deepEqual(await listDeadAddresses(bundle), []);
    });
  }
});

async function exportSite(t: TestContext, { files }: HabitSite) {
  const bundle = await writeSite(t, {});
  const siteDir = await writeSite(t, files);
  const result = await renderSite({
    siteDir,
    outDir: bundle,
    workers: 1,
    children,
    accessibility: true,
    check: (site, pages) => checkSite(site, pages),
  });
  const problems = result.problems.map(
    ({ severity, code, file, line, message }) => `${severity} ${code} ${file}:${line} ${message}`,
  );
  return { result, bundle, problems };
}

const address = /\s(?:href|src|poster|data-src)="([^"]+)"|\ssrcset="([^"]+)"/g;

/** Lists the addresses of a bundle's pages and style sheets that lead to no file or anchor of it. */
async function listDeadAddresses(bundle: string): Promise<readonly string[]> {
  const dead: string[] = [];
  for (const [file, content] of await bundleFiles(bundle)) {
    if (!/\.(?:css|html)$/.test(file) || file === "404.html") continue;
    const targets = listAddresses(file, content.toString());
    const lost = targets.filter((target) => !leadsSomewhere(bundle, file, target));
    dead.push(...lost.map((target) => `${file}: ${target}`));
  }
  return dead;
}

function listAddresses(file: string, content: string): readonly string[] {
  if (file.endsWith(".css"))
    return Array.from(content.matchAll(/url\("?([^")]+)"?\)/g), ([, target = ""]) => target);
  const html = content.replaceAll(/<(script|template|noscript)[\s>][^]*?<\/\1>/g, "");
  return [...html.matchAll(address)].flatMap(([, one, many = ""]) =>
    one === undefined ? many.split(",").map((part) => part.trim().split(/\s/, 1)[0] ?? "") : [one],
  );
}

function leadsSomewhere(bundle: string, file: string, target: string): boolean {
  if (/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(target)) return true;
  const [, path = "", anchor] =
    /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(
      target.replaceAll("&amp;", "&").replaceAll("&#39;", "'"),
    ) ?? [];
  const found = path === "" ? file : posix.join(dirname(file), decodeURIComponent(path));
  const own = join(bundle, found);
  if (target.startsWith("/") || !existsSync(own)) return false;
  if (anchor === undefined || anchor === "top" || !found.endsWith(".html")) return true;
  const id = decodeURIComponent(anchor).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const html = readFileSync(own, "utf8");
  const names = [`id="${id}"`, `id=${id}`, `name="${id}"`, 'http-equiv="refresh"'];
  return names.some((name) => html.includes(` ${name}`));
}
