import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { readFirstScript } from "../../packages/site/src/theme/testing.ts";
import { launchChromium } from "../support/chromium.ts";
import { openAuthor } from "../support/git-fixture.ts";
import { patience } from "../support/patience.ts";
import { programArgs } from "../support/program.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";
import type { TemporaryFolder } from "../support/temporary-folder.ts";

const configuration = { name: "Harbour", navigation: { pages: ["index", "guides/start"] } };
const docs = JSON.stringify(configuration);
const home = "---\ntitle: Home\n---\n\nWords of home.\n";
const site = {
  "docs.json": docs,
  "index.mdx": home,
  "guides/start.mdx":
    "---\ntitle: Start\n---\nimport Part from '/snippets/part.mdx';\n\n<Part />\n\n![Boat](/boat.svg)\n",
  "snippets/part.mdx": "Words of the part.",
  "boat.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
};

interface Preview extends AsyncDisposable {
  readonly url: string;
  output(): string;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

async function startDev(siteDir: string, ...args: string[]): Promise<Preview> {
  const child = spawn(process.execPath, programArgs(["dev", siteDir, ...args]), {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  const exit = once(child, "exit");
  const urlIn = () => /at (http:\S+\/),/.exec(output)?.[1];
  while (urlIn() === undefined) {
    if (child.exitCode !== null) throw new Error(output);
    await wait(10);
  }
  async function end(signal: NodeJS.Signals): Promise<number | null> {
    child.kill(signal);
    const [code] = (await exit) as [number | null];
    return code;
  }
  return {
    url: urlIn() ?? "",
    output: () => output,
    end,
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
    },
  };
}

let folder: TemporaryFolder;
let browser: Browser;
let dev: Preview;
before(async () => {
  folder = await temporaryFolder();
  await writeFiles(folder.path, site);
  browser = await launchChromium();
  dev = await startDev(folder.path, "--port", "0");
});
after(async () => {
  await dev[Symbol.asyncDispose]();
  await browser.close();
  await folder[Symbol.asyncDispose]();
});

const save = (path: string, text: string) => writeFile(join(folder.path, path), text);

/** In one step: a file that is emptied first may be shown empty for a moment, and such a page has no place to keep. */
const add = (path: string, text: string) => appendFile(join(folder.path, path), text);

async function open(path: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(dev.url + path);
  return page;
}

async function shows(page: Page, text: string): Promise<void> {
  await page.locator("#content", { hasText: text }).waitFor();
  // Until then the browser may still take a page that was loaded again to where it was.
  await page.waitForLoadState();
}

async function printed(words: RegExp): Promise<void> {
  const signal = patience();
  while (!words.test(dev.output())) {
    await wait(10, undefined, { signal }).catch(() => assert.fail(dev.output()));
  }
}

describe("a window shows what was written", () => {
  test("when a page is saved, by whatever way, and stays where it was", async () => {
    const page = await open("");
    const long = Array.from({ length: 300 }, (_, line) => `\nLine ${line}.\n`).join("");
    await add("index.mdx", long);
    await shows(page, "Line 299.");
    await page.evaluate("scrollTo({ top: 1500, behavior: 'instant' })");
    await add("index.mdx", "\nSaved once.\n");
    await shows(page, "Saved once.");
    assert.equal(await page.evaluate("scrollY"), 1500);
    for (const words of ["Saved twice.", "Saved three times."]) {
      await save("index.mdx.tmp", `${home}${words}`);
      await rename(join(folder.path, "index.mdx.tmp"), join(folder.path, "index.mdx"));
      await shows(page, words);
    }
    await page.close();
  });

  test("when a snippet is, where a page shows it, and leaves other pages alone", async () => {
    const [start, other] = [await open("guides/start.html"), await open("")];
    let loads = 0;
    other.on("load", () => (loads += 1));
    await save("snippets/part.mdx", "Other words of the part.");
    await shows(start, "Other words of the part.");
    assert.equal(loads, 0);
    await start.close();
    await other.close();
  });

  test("when a page comes to be, and goes again", async () => {
    const page = await open("guides/new.html");
    assert.doesNotMatch(await page.title(), /New/);
    await mkdir(join(folder.path, "guides"), { recursive: true });
    await save("guides/new.mdx", "---\ntitle: New\n---\n\nWords that are new.");
    await shows(page, "Words that are new.");
    await rm(join(folder.path, "guides/new.mdx"));
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    assert.equal((await fetch(`${dev.url}guides/new.html`)).status, 404);
    await page.close();
  });

  test("when the configuration changes; while it cannot be read, the site stays", async () => {
    const page = await open("");
    await save("docs.json", JSON.stringify({ ...configuration, name: "Pier" }));
    await page.locator("header", { hasText: "Pier" }).waitFor();
    await save("docs.json", "{ nonsense");
    const faults = page.locator("octavo-faults");
    await faults.getByText("docs.json:1:3").waitFor();
    await printed(/error {2}docs\.json:1:3: /);
    await save("index.mdx", `${home}\nWords meanwhile.`);
    await shows(page, "Words meanwhile.");
    await faults.getByText("docs.json:1:3").waitFor();
    await save("docs.json", docs);
    await page.locator("header", { hasText: "Harbour" }).waitFor();
    assert.equal(await faults.count(), 0);
    await printed(/The site can be read again\./);
    await page.close();
  });

  test("and what is wrong with it, until it is mended", async () => {
    const page = await open("");
    await save("index.mdx", "---\ntitle: [\n---\n\n[Nowhere](/nowhere)\n");
    const faults = page.locator("octavo-faults");
    await faults.getByText("index.mdx:5:1").waitFor();
    await printed(/^index\.mdx:2:8 {2}error {2}The frontmatter is not valid YAML/m);
    await printed(
      /^index\.mdx:5:1 {2}error {2}The link "\/nowhere" does not lead to a page.* {2}\[link_broken\]$/m,
    );
    await save("index.mdx", home);
    await shows(page, "Words of home.");
    await faults.waitFor({ state: "detached" });
    await printed(/index has no more problems\./);
    await page.close();
  });
});

test("a page of a preview runs under a strict policy for scripts", async () => {
  const { hash } = await readFirstScript();
  const context = await browser.newContext();
  const page = await context.newPage();
  const refused: string[] = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) refused.push(message.text());
  });
  await page.route(dev.url, async (route) => {
    const response = await route.fetch();
    const policy = `script-src 'self' '${hash}'; style-src 'self' 'unsafe-inline'; connect-src 'self'`;
    await route.fulfill({
      response,
      headers: { ...response.headers(), "content-security-policy": policy },
    });
  });
  await page.goto(dev.url);
  await save("index.mdx", "---\ntitle: Home\n---\n\n[Nowhere](/nowhere) under a policy.\n");
  await shows(page, "under a policy");
  await page.locator("octavo-faults").getByText("index.mdx:5:1").waitFor();
  assert.deepEqual(refused, []);
  await page.unrouteAll({ behavior: "wait" });
  await save("index.mdx", home);
  await context.close();
});

/** As a program that sends what no browser would. */
async function ask(
  path: string,
  { method = "GET", host }: { method?: string; host?: string } = {},
): Promise<{
  status: number | undefined;
  headers: Readonly<Record<string, unknown>>;
  text: string;
}> {
  const { port } = new URL(dev.url);
  const headers = host === undefined ? {} : { host };
  const asked = request({ host: "127.0.0.1", port, path, method, headers });
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, text };
}

describe("a preview answers", () => {
  const questions: readonly (readonly [
    what: string,
    path: string,
    options: { method?: string; host?: string },
    status: number,
  ])[] = [
    ["a page", "/guides/start.html", {}, 200],
    ["a page without its ending", "/guides/start", {}, 302],
    ["a file of the site", "/boat.svg", {}, 200],
    ["only the head of a page", "/guides/start.html", { method: "HEAD" }, 200],
    ["localhost too", "/", { host: "localhost:1" }, 200],
    ["no other name", "/", { host: "rebound.example" }, 403],
    ["no other name that begins so", "/", { host: "127.0.0.1.example:80" }, 403],
    ["no attempt to write", "/", { method: "POST" }, 405],
    ["nothing above the site", "/../secret", {}, 400],
    ["nothing above the site, however it is written", "/%2e%2e/%2E%2e%2fsecret", {}, 400],
    ["nothing that cannot be decoded", "/%zz", {}, 400],
    ["nothing absolute", "//etc/passwd", {}, 404],
    ["no source", "/index.mdx", {}, 404],
    ["no configuration", "/docs.json", {}, 404],
  ];
  for (const [what, path, options, status] of questions) {
    test(what, async () => {
      const answer = await ask(path, options);
      assert.equal(answer.status, status, answer.text);
      assert.equal(answer.headers["access-control-allow-origin"], undefined);
      assert.equal(answer.headers["cross-origin-resource-policy"], "same-origin");
      if (options.method === "HEAD") assert.equal(answer.text, "");
    });
  }
});

describe("octavo dev", () => {
  test("shows when Git last saw a page change, and where it is edited", async () => {
    await using other = await temporaryFolder();
    const author = await openAuthor(join(other.path, "repository"));
    const docs = { ...configuration, metadata: { timestamp: true } };
    await author.commit({ ...site, "docs.json": JSON.stringify(docs) }, "2026-01-02");
    const editUrl = "https://git.example.com/edit/{path}";
    await using own = await startDev(author.folder, "--port", "0", "--edit-url", editUrl);
    const start = await (await fetch(`${own.url}guides/start.html`)).text();
    assert.match(start, /<time datetime="2026-01-02">/);
    assert.match(start, /<a href="https:\/\/git\.example\.com\/edit\/guides\/start\.mdx"/);
  });

  for (const [count, shown] of [
    [5, /^docs\.json:1:\d+ {2}warning .*"setting4"/m],
    [6, /have 6 warnings; `node \S+ check \S+` lists them\.\n/],
  ] as const) {
    test(`shows at the start ${count} problems of the configuration, or where they are listed`, async () => {
      await using own = await temporaryFolder();
      const unknown = Array.from({ length: count }, (_, index) => [`setting${index}`, 1]);
      const settings = { ...configuration, ...Object.fromEntries(unknown) };
      await writeFiles(own.path, { ...site, "docs.json": JSON.stringify(settings) });
      await using preview = await startDev(own.path, "--port", "0");
      while (!shown.test(preview.output())) await wait(10);
      const lines = preview.output().match(/"setting\d"/g)?.length ?? 0;
      assert.equal(lines, count === 5 ? 5 : 0, preview.output());
    });
  }

  test("ends with 0 when it is interrupted", async () => {
    await using own = await startDev(folder.path, "--port", "0");
    const listening = await fetch(`${own.url}_octavo/dev/events?page=index&version=0`);
    assert.equal(listening.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assert.equal(await own.end("SIGINT"), 0, own.output());
    await listening.text().catch(() => "");
  });

  test("uses the next free port if one is taken, and says so", async () => {
    const { port } = new URL(dev.url);
    await using own = await startDev(folder.path, "--port", port);
    const used = new URL(own.url).port;
    assert.ok(Number(used) > Number(port));
    assert.ok(own.output().includes(`Port ${port} is in use; using ${used} instead.`));
    assert.equal((await fetch(own.url)).status, 200);
  });

  for (const [flag, value] of [
    ["--port", "65536"],
    ["--port", "x"],
  ] as const) {
    test(`refuses ${flag} ${value}`, async () => {
      await assert.rejects(
        startDev(folder.path, flag, value),
        new RegExp(`octavo: ${flag} takes `),
      );
    });
  }
});
