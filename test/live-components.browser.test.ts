import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { renderSite } from "../packages/site/src/export/index.ts";
import { launchChromium } from "./support/chromium.ts";
import { temporaryFolder, writeFiles } from "./support/temporary-folder.ts";

/** Waits until something that a selector finds has the text. */
async function shows(page: Page, selector: string, text: string): Promise<void> {
  await page.locator(selector, { hasText: text }).first().waitFor();
}

async function click(page: Page, name: string): Promise<void> {
  await page.locator("#content").getByRole("button", { name, exact: true }).first().click();
}

async function read(page: Page): Promise<string> {
  return await page.locator("#content").innerText();
}

/** Components with state on the pages of a golden site, opened as files under the policy of their pages. */
suite("components that live in the browser", () => {
  const cleanup = new AsyncDisposableStack();
  let browser: Browser;
  let folder = "";
  after(() => cleanup.disposeAsync());

  before(async () => {
    const out = cleanup.use(await temporaryFolder());
    folder = out.path;
    const siteDir = join(import.meta.dirname, "sites/live-components/docs");
    await renderSite({ siteDir, outDir: folder, workers: 1, remoteMedia: "link" });
    browser = cleanup.use(await launchChromium());
  });

  async function withPage(
    path: string,
    use: (page: Page) => Promise<void>,
    options: BrowserContextOptions = {},
  ): Promise<void> {
    await using context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, `${path}.html`)).href);
    await use(page);
  }

  test("state, content, functions, references and effects", async () => {
    await withPage("index", async (page) => {
      const complaints: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => complaints.push(message.text()));
      await shows(page, "#loaded", "It runs in the browser.");
      await click(page, "More");
      await click(page, "More");
      await click(page, "Less");
      await shows(page, "#counter output", "7");
      await click(page, "More about planes");
      await shows(page, "#toggle strong", "thin");
      assert.equal(await page.locator("#toggle a").getAttribute("href"), "guides/forms.html");
      await click(page, "More about planes");
      assert.equal(await page.locator("#toggle strong").count(), 0);
      await click(page, "More about planes");
      await shows(page, "#toggle li", "Iron");
      await click(page, "Add");
      await click(page, "Add");
      await shows(page, "#clicks", "chisel: 2");
      await click(page, "Reset");
      await shows(page, "#clicks", "chisel: 0");
      await click(page, "Next");
      await shows(page, "#formatted b", "8 mm");
      await shows(page, "#formatted .badge", "New");
      await shows(page, "#formatted", "Twice");
      await click(page, "Go to the field");
      assert.equal(await page.locator("#reader input:focus").inputValue(), "Ada");
      await click(page, "On");
      await shows(page, "#switch[aria-pressed=false]", "Off");
      assert.deepEqual(complaints, []);
    });
  });

  test("forms, lists and styles", async () => {
    await withPage("guides/forms", async (page) => {
      await page.fill("#todo input", "Hone");
      await page.press("#todo input", "Enter");
      await shows(page, "#todo li:nth-child(3)", "Hone");
      await click(page, "Oil");
      await shows(page, "#todo", "2 open");
      const line = page.locator("#todo li", { hasText: "Oil" });
      assert.equal(await line.evaluate((item) => item.style.textDecoration), "line-through");
      await page.fill("#temperature input", "100");
      await shows(page, "#temperature span", "212.0 °F");
      const color = await page.locator("#temperature span").evaluate((box) => box.style.color);
      assert.equal(color, "rgb(200, 0, 0)");
      await page.selectOption("#order select", "elm");
      await page.check("#order input");
      await click(page, "Order");
      await shows(page, "#order output", '{"wood":"elm","isPlaned":true}');
      await page.fill("#config input", "/tools/");
      await shows(page, "#config code", '"to": "https://tools.example"');
      await page.fill("#filter input", "SA");
      await shows(page, "#filter p", "1 of 3");
      await page.fill("#filter input", "x");
      await shows(page, "#filter p", "Nothing found.");
    });
  });

  test("components of the format, contexts, classes and measures", async () => {
    await withPage("guides/parts", async (page) => {
      await click(page, "Next tip");
      await shows(page, "#tips .callout .callout-body", "Tip 2: keep it dry");
      await shows(page, "#tips .card", "Seen 2 times");
      await click(page, "Hide");
      assert.equal(await page.locator("#guide li").count(), 0);
      await click(page, "Show");
      await shows(page, "#guide li", "Take one shaving.");
      await click(page, "bench lit");
      await shows(page, ".lamp.shelf", "shelf dark");
      await click(page, "alone lit");
      await shows(page, ".lamp.alone", "alone dark");
      await click(page, "Lap");
      await click(page, "Lap");
      assert.equal(await page.locator("#stopwatch i").count(), 2);
      await shows(page, "#height", "40 pixels");
      await page.locator("#stars button").nth(3).click();
      assert.equal(await page.locator("#stars [aria-checked=true]").count(), 4);
    });
  });

  test("components of the format inside each other show the current state", async () => {
    await withPage("guides/nested", async (page) => {
      await click(page, "Term 0");
      await shows(page, ".term .tooltip .badge-green:has(.icon)", "Badge 1");
      await click(page, "Box 0");
      await click(page, "Box 1");
      await shows(page, ".card:has(#boxed-title) .callout.tone-note .callout-body", "Note 2");
      await shows(page, ".card-title #boxed-title", "Title 2");
      await shows(page, ".card-content > i", "Two or more");
      await click(page, "Step 0");
      await shows(page, ".step:nth-child(2) .step-content", "After 1 of 1");
      await shows(page, ".step:nth-child(2) .badge", "of 1");
      await page.fill("#filter input", "sa");
      assert.deepEqual(await page.locator("#filter .card-title").allInnerTexts(), ["saw"]);
      assert.deepEqual(await page.locator("#filter .card-content").allInnerTexts(), ["The saw"]);
      await page.fill("#filter input", "");
      const titles = ["plane", "saw", "rasp"];
      assert.deepEqual(await page.locator("#filter .card-title").allInnerTexts(), titles);
      await click(page, "Turn");
      assert.equal(await page.locator("#panel .tabs").count(), 0);
      await click(page, "Turn");
      await page.click("#panel [role=tab]:has-text('Pine')");
      await shows(page, "#panel .tab-panel:not([hidden])", "Soft");
      await page.click("#panel .term button");
      await shows(page, "#panel .term .badge", "Badge 1");
      const forms = page.locator("#sections a");
      assert.equal(await forms.getAttribute("href"), "forms.html");
      await page.click("#sections [role=tab]:has-text('Cross')");
      await click(page, "Sections 0");
      await shows(page, "#sections .tab-panel:not([hidden])", "Across");
    });
  });

  test("props of every type of JavaScript reach the browser; others are reported", async () => {
    await using site = await temporaryFolder();
    await using out = await temporaryFolder();
    await writeFiles(site.path, {
      "docs.json": JSON.stringify({ name: "Props", navigation: { pages: ["index"] } }),
      "index.mdx": `export const Shown = ({ day, set, map, pattern, many, data, format, list, url, query, bytes }) => {
  const [count, setCount] = useState(0);
  const values = [
    day?.toISOString(),
    set?.has("b"),
    map?.get("k")?.has(2),
    pattern && "aXb".replace(pattern, "-"),
    many && many === Infinity,
    data && JSON.stringify(data),
    format?.("f"),
    list?.length,
    url && url.host + url.searchParams.get("q"),
    query && [...query.keys()].join(),
    bytes && new TextDecoder().decode(bytes),
  ];
  return <p className="shown"><button onClick={() => setCount(count + 1)}>{count}</button> {values.filter((value) => value !== undefined).join(" ")}</p>;
};

<Shown day={new Date(86400000)} set={new Set(["a", "b"])} map={new Map([["k", new Set([1, 2])]])} />

<Shown pattern={/x/gi} many={Infinity} data={{ $date: 5, inner: { $use: "y" } }} format={(text) => text + "!"} />

<Shown list={[<b>bold</b>, "plain"]} />

<Shown url={new URL("/?q=1", "https://a.example")} query={new URLSearchParams({ a: 1, b: 2 })} bytes={new TextEncoder().encode("é")} />
`,
    });
    const { problems } = await renderSite({ siteDir: site.path, outDir: out.path, workers: 1 });
    assert.deepEqual(
      problems.map(({ message }) => message.slice(0, 56)),
      ['In the browser, <Shown> receives only part of "list": on'],
    );
    const address = pathToFileURL(join(out.path, "index.html")).href;
    const seen: string[][] = [];
    for (const javaScriptEnabled of [false, true]) {
      await using context = await browser.newContext({ javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(address);
      if (javaScriptEnabled) await page.locator("[data-live] .shown").nth(3).waitFor();
      seen.push(await page.locator(".shown").allInnerTexts());
    }
    assert.deepEqual(seen[0], [
      "0 1970-01-02T00:00:00.000Z true true",
      '0 a-b true {"$date":5,"inner":{"$use":"y"}} f!',
      "0 2",
      "0 a.example1 a,b é",
    ]);
    assert.deepEqual(seen[1], seen[0]);
  });

  for (const remoteMedia of ["keep", "link"] as const)
    test(`what a page adds to elements is there as in the first render, remote media: ${remoteMedia}`, async () => {
      await using site = await temporaryFolder();
      await using out = await temporaryFolder();
      await writeFiles(site.path, {
        "large.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300" />',
        "docs.json": JSON.stringify({ name: "Additions", navigation: { pages: ["index"] } }),
        "index.mdx": `export const Part = () => {
  const [count, setCount] = useState(0);
  const table = useRef(null);
  return (
    <div className="part">
      <h2>First part</h2>
      <h3 className="own">With {"a value"}</h3>
      <Card title="Box"><h2>First part</h2><h3>In a → box</h3></Card>
      <svg viewBox="0 0 16 16"><path d="M0 0h16v16z" /></svg>
      <svg viewBox="0 0 16 16" width="40"><path d="M0 0h16v16z" /></svg>
      <img src="/large.svg" noZoom /><img src="/large.svg" actions="download" alt="Large" />
      <img src="https://other.example/far.png" alt="Far" />
      <iframe src="https://other.example/frame" title="Frame" width="300"></iframe>
      <a href="https://other.example/icon"><Icon icon="star" /></a>
      <table ref={table}><tbody><tr><td>{count}</td></tr></tbody></table>
      <a href="https://other.example/a">Away</a> <a href="#first-part" target="_self">Here</a>
      <button onClick={() => setCount(count + table.current.rows.length)}>More</button>
    </div>
  );
};

<Part />
`,
      });
      await renderSite({ siteDir: site.path, outDir: out.path, workers: 1, remoteMedia });
      const address = pathToFileURL(join(out.path, "index.html")).href;
      const seen: string[] = [];
      for (const javaScriptEnabled of [false, true]) {
        await using context = await browser.newContext({ javaScriptEnabled });
        const page = await context.newPage();
        await page.goto(address);
        const part = page.locator(javaScriptEnabled ? "[data-live] .part" : ".part");
        const read = async () =>
          (await part.evaluate((box) => box.innerHTML))
            .replaceAll(/ tabindex="0"|<!--.*?-->/g, "")
            .replaceAll(/<span class="picture-box">(<img [^>]*>)<span .*?<\/span><\/span>/g, "$1")
            .replaceAll(
              /<(\w+)((?: [\w-]+="[^"]*")+)>/g,
              (_tag: string, name: string, list: string) => {
                return `<${name} ${(list.match(/[\w-]+="[^"]*"/g) ?? []).toSorted().join(" ")}>`;
              },
            );
        seen.push(await read());
        if (!javaScriptEnabled) continue;
        await part.getByRole("button").click();
        await shows(page, ".part td", "1");
        seen.push((await read()).replace("<td>1</td>", "<td>0</td>"));
      }
      assert.match(seen[0] ?? "", /id="first-part"/);
      assert.match(seen[0] ?? "", /id="first-part-2"/);
      assert.match(seen[0] ?? "", /rel="noreferrer"/);
      assert.match(seen[0] ?? "", /<svg viewBox="0 0 16 16" width="1em">/);
      assert.doesNotMatch(seen[0] ?? "", /<iframe/);
      assert.equal(seen[1], seen[0]);
      assert.equal(seen[2], seen[0]);
    });

  test("pictures keep their buttons, also those that a component shows later or twice", async () => {
    await using site = await temporaryFolder();
    await using out = await temporaryFolder();
    const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" />';
    await writeFiles(site.path, {
      "a.svg": picture,
      "b.svg": picture,
      "docs.json": JSON.stringify({ name: "Pictures", navigation: { pages: ["index"] } }),
      "index.mdx": `export const Pictures = ({ children }) => {
  const [count, setCount] = useState(0);
  return (
    <div id="pictures">
      {count < 2 && <p id="own"><img src="/a.svg" actions="download" alt="A" /></p>}
      <a href="/a.svg">The file</a>
      {children}
      {count > 0 && children}
      <button onClick={() => setCount(count + 1)}>More</button>
    </div>
  );
};

<Pictures>
  <img src="/b.svg" actions="download" alt="B" />
</Pictures>
`,
    });
    await renderSite({ siteDir: site.path, outDir: out.path, workers: 1 });
    await using context = await browser.newContext({ acceptDownloads: true });
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(out.path, "index.html")).href);
    await page.locator("[data-live] #pictures").waitFor();
    const links = page.locator("#pictures .picture-box > img + .picture-actions > a");
    const names = () => links.evaluateAll((all) => all.map((one) => one.getAttribute("download")));
    assert.deepEqual(await names(), ["a.svg", "b.svg"]);
    assert.equal(await page.getByText("The file").getAttribute("aria-label"), null);
    await click(page, "More");
    await links.nth(2).waitFor();
    assert.deepEqual(await names(), ["a.svg", "b.svg", "b.svg"]);
    await click(page, "More");
    await page.locator("#own").waitFor({ state: "detached" });
    assert.deepEqual(await names(), ["b.svg", "b.svg"]);
    assert.equal(await page.locator(".picture-box").count(), 2);
  });

  test("what fails in the browser shows what it first showed", async () => {
    await withPage("guides/broken", async (page) => {
      await shows(page, "#late", "Shown first.");
      await shows(page, "#chart", "Three bars: 3");
      await shows(page, "#odd", "a");
      assert.equal(await page.locator("[data-live]").count(), 1);
    });
  });

  test("without scripts the first render is there; pages without components load nothing", async () => {
    const options = { javaScriptEnabled: false };
    await withPage("index", async (page) => assert.match(await read(page), /chisel: 0/), options);
    const forms = /68\.0 °F[^]*"host": "shop"[^]*3 of 3/;
    await withPage("guides/forms", async (page) => assert.match(await read(page), forms), options);
    await withPage("guides/plain", async (page) => {
      const sources = await page
        .locator("script[src]")
        .evaluateAll((all) => all.map((one) => one.getAttribute("src") ?? ""));
      assert.equal(sources.filter((source) => source.includes("components")).length, 0);
    });
  });
});
