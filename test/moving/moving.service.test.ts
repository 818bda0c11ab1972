/**
 * Small sites in the form of other programs, on which the steps of the manual are done as they are written. Then they
 * are served, and their old addresses are asked for.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { bundleFiles } from "../support/bundle-files.ts";
import { programArgs } from "../support/program.ts";
import {
  createServedSite,
  createServedVersion,
  startServedSites,
} from "../support/served-sites.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const manual = resolve(import.meta.dirname, "../../docs/moving");

/** A fenced block of the steps of a page. */
interface StepBlock {
  readonly language: string;
  /** The path of the file with this content; empty for commands. */
  readonly title: string;
  readonly text: string;
}

async function readSteps(page: string): Promise<readonly StepBlock[]> {
  const text = await readFile(join(manual, `${page}.mdx`), "utf8");
  const [, steps = ""] = /<Steps>\n([^]*?)<\/Steps>/.exec(text) ?? [];
  return Array.from(
    steps.matchAll(/^( *)```(\w+) ?(.*)\n([^]*?)^\1```$/gm),
    ([, indent = "", language = "", title = "", content = ""]) => ({
      language,
      title,
      text: content.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
}

/** Writes the files and runs the commands of a page's steps, in a folder in which `octavo` is a command. */
async function doSteps(page: string, folder: string, programs: string): Promise<void> {
  await mkdir(programs, { recursive: true });
  const octavo = [process.execPath, ...programArgs([])].map((word) => `'${word}'`).join(" ");
  await writeFile(join(programs, "octavo"), `#!/bin/sh\nexec ${octavo} "$@"\n`, { mode: 0o755 });
  const path = `${programs}:${dirname(process.execPath)}:${process.env["PATH"]}`;
  for (const { language, title, text } of await readSteps(page)) {
    if (title !== "") {
      await mkdir(dirname(join(folder, title)), { recursive: true });
      await writeFile(join(folder, title), text);
    } else if (language === "bash") {
      const env = { PATH: path, HOME: programs };
      await promisify(execFile)("bash", ["-euo", "pipefail", "-c", text], { cwd: folder, env });
    }
  }
}

type Old = readonly [address: string, shows: string, text: RegExp];

/** The old addresses of each site, the address at which a reader ends, and what that page shows. */
const origins: Readonly<Record<string, { readonly site: string; readonly old: readonly Old[] }>> = {
  mintlify: {
    site: "lantern-site",
    old: [
      ["/", "/", /npm install lantern@2\.1/],
      ["/guides/quickstart", "/guides/quickstart", /class="callout[^]*The lamp stays on/],
      ["/start", "/guides/quickstart", /Light it/],
      ["/api-reference/lamps/list-lamps", "/api-reference/lamps/list-lamps", /List lamps/],
    ],
  },
  docusaurus: {
    site: "lantern-site",
    old: [
      ["/docs/", "/intro", /class="callout[^]*The lamp stays on/],
      [
        "/docs/guides/quickstart",
        "/guides/quickstart",
        /data-title="Yarn"[^]*<code>yarn add lantern/,
      ],
      ["/docs/guides/quickstart", "/guides/quickstart", /<strong>Brighter<\/strong>/],
      ["/docs/guides/deploy", "/guides/deploy", /href="\.\.\/intro"/],
    ],
  },
  gitbook: {
    site: "lantern-site",
    old: [
      ["/", "/", /class="callout[^]*The lamp stays on/],
      [
        "/guides/quickstart",
        "/guides/quickstart",
        /data-title="Yarn"[^]*<code>yarn add[^]*lamp\.js[^]*The lamp/,
      ],
      ["/guides/run", "/guides/run/", /class="step[^]*lantern serve/],
      ["/guides/run/docker", "/guides/run/docker", /href="https:\/\/code\.lantern\.example"/],
      ["/start", "/guides/quickstart", /Quickstart/],
    ],
  },
  "read-the-docs": {
    site: "lantern-site",
    old: [
      ["/en/latest/", "/", /class="callout[^]*The lamp stays on/],
      [
        "/en/latest/guides/quickstart/",
        "/guides/quickstart",
        /data-title="Yarn"[^]*<code>yarn add[^]*It is warm/,
      ],
      ["/en/stable/guides/quickstart.html", "/guides/quickstart", /Wait a minute/],
      ["/en/latest/guides/deploy/", "/guides/deploy", /<details[^]*For others/],
    ],
  },
  "github-pages": {
    site: "lantern-site",
    old: [
      ["/", "/", /href="guides\/quickstart"/],
      ["/guides/quickstart.html", "/guides/quickstart", /npm install[^]*href="deploy"/],
      ["/guides/deploy/", "/guides/deploy", /lantern serve/],
      ["/start.html", "/guides/quickstart", /Quickstart/],
    ],
  },
  netlify: {
    site: "lantern/public",
    old: [
      ["/", "/", /<h1>Lantern/],
      ["/guides/quickstart", "/guides/quickstart/", /<h1>Quickstart/],
      ["/start", "/guides/quickstart/", /<h1>Quickstart/],
      ["/old/quickstart", "/guides/quickstart/", /<h1>Quickstart/],
      ["/wiki/quickstart", "/guides/quickstart/", /<h1>Quickstart/],
    ],
  },
};

describe("a site that comes from", () => {
  for (const [page, { site, old }] of Object.entries(origins)) {
    test(`${page} is converted by the steps of the manual and keeps its addresses`, async () => {
      await using root = await temporaryFolder();
      const folder = join(root.path, "lantern");
      await cp(join(import.meta.dirname, page), folder, { recursive: true });
      await doSteps(page, folder, join(root.path, "bin"));
      await using served = await startServedSites();
      const files = Object.fromEntries(await bundleFiles(join(root.path, site)));
      const host = "docs.lantern.example";
      const deployment = await served.deploy(files);
      served.table.set(host, createServedSite([createServedVersion(deployment)]));
      for (const [address, shows, text] of old) {
        let at = address;
        let answer = await served.ask(host, at);
        for (let hops = 0; hops < 4 && answer.headers.location !== undefined; hops += 1) {
          at = answer.headers.location;
          answer = await served.ask(host, at);
        }
        assert.deepEqual([answer.status, at], [200, shows], address);
        // Code is divided into colored parts.
        assert.match(answer.body.toString().replaceAll(/<\/?span[^>]*>/g, ""), text, address);
      }
      // What a script left unconverted would be a text of the page.
      const pages = Object.entries(files).filter(([path]) => path.endsWith(".html"));
      for (const [path, bytes] of pages) {
        assert.doesNotMatch(bytes.toString(), /^:::|\{%|!!! |=== "|```|<h1[^]*<h1/m, path);
      }
    });
  }

  test("each origin has a page in the manual", async () => {
    const { navigation } = JSON.parse(await readFile(join(manual, "../docs.json"), "utf8")) as {
      navigation: unknown;
    };
    const named = JSON.stringify(navigation).matchAll(/"moving\/([\w-]+)"/g);
    assert.deepEqual(Array.from(named, ([, name]) => name), Object.keys(origins)); // prettier-ignore
  });
});
