import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { components } from "../packages/site/src/components/index.ts";
import { renderSite } from "../packages/site/src/export/index.ts";
import { launchChromium } from "./support/chromium.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const fence = "<CodeBlock language='js' title='a.js'>{'a()'}</CodeBlock>";

/** Attributes, and children of its own where a component has no sense without them, of each component of the format. */
const forms: Readonly<Record<string, readonly [attributes: string, own?: string]>> = {
  Accordion: ['title="Fold" description="More" icon="star"'],
  AccordionGroup: ["", '<Accordion title="One">first</Accordion>'],
  Badge: ['icon="lock" color="green"'],
  Callout: ['icon="star" color="#336699" title="Call"'],
  Card: ['title="Box" icon="star" href="/other" cta="Go"'],
  CardGroup: ["cols={2}", '<Card title="Left">l</Card>'],
  CodeBlock: ['language="js" title="b.js"', "{'b()'}"],
  CodeGroup: ["", fence],
  Color: [
    'variant="table"',
    '<Color.Row title="Row"><Color.Item name="c" value="#00f" /></Color.Row>',
  ],
  "Color.Row": ['title="Row"', '<Color.Item name="d" value="#0f0" />'],
  "Color.Item": ['name="e" value="#f00"'],
  Columns: ["cols={3}", "<Column>x</Column>"],
  Expandable: ['title="Fields"'],
  Frame: ['caption="Below" hint="Above"'],
  "GitHub.Repo": ['repo="a/b"'],
  Icon: ['icon="star" size={20}'],
  Latex: ["", "{'x^2'}"],
  ParamField: ['path="id" type="string" required'],
  Prompt: ['description="Ask" icon="star"'],
  RequestExample: ["", fence],
  ResponseExample: ["", fence],
  ResponseField: ['name="size" type="number" default={3}'],
  Step: ['title="Lone step" icon="star"'],
  Steps: ["", '<Step title="First">one</Step>'],
  Tab: ['title="Lone tab"'],
  Tabs: ["", '<Tab title="Tab one" icon="star">t</Tab><Tab title="Tab two">u</Tab>'],
  Tile: ['title="Tile" description="About" href="/other"'],
  Tooltip: ['tip="About" headline="Head" cta="Read" href="/other"'],
  Tree: ["", '<Tree.Folder name="src" defaultOpen><Tree.File name="a.ts" /></Tree.Folder>'],
  FileTree: ["", '<Tree.File name="b.ts" comment="c" />'],
  "Tree.Folder": ['name="lib" defaultOpen', '<Tree.File name="d.ts" />'],
  "Tree.File": ['name="e.ts" highlight'],
  Update: ['label="v1" description="May" tags={["new"]}'],
  View: ['title="Python" icon="star"'],
  Visibility: ['for="humans"'],
};

/** Attributes that show content: components are written into them too. */
const shownProps: Readonly<Record<string, readonly string[]>> = {
  Accordion: ["title", "description", "icon"],
  AccordionGroup: ["title"],
  Badge: ["icon"],
  Callout: ["title", "icon"],
  Card: ["title", "icon", "description"],
  "Color.Row": ["title"],
  Expandable: ["title"],
  Frame: ["caption", "hint"],
  Note: ["title", "icon"],
  Prompt: ["description", "icon"],
  Step: ["title", "icon"],
  Tab: ["title", "icon"],
  Tile: ["title", "description"],
  Tooltip: ["tip", "headline"],
  Update: ["description"],
  View: ["title", "icon"],
};

const names = components.flatMap((component) => component.names);

function write(name: string, content: string, extra = ""): string {
  const [attributes, own = ""] = forms[name] ?? [""];
  const kept =
    extra === ""
      ? attributes
      : attributes.replace(new RegExp(`${extra.split("=")[0]}="[^"]*"`), "");
  return `<${name} ${kept} ${extra}>${own}${content}</${name}>`;
}

/** A picture that is shown below its full size, as the content of each inner component. */
const picture = '<img src="/images/large.svg" width="20" alt="Large" />';

const largePicture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><path d="M0 0h400v300z"/></svg>';

/** Elements to which pages add something, as content of each outer component. */
function writeElements(label: string): string {
  return [
    `<h3>Part {${JSON.stringify(`of ${label}`)}}</h3><h4 className="own">Again</h4>`,
    "<table><tbody><tr><td>Cell</td></tr></tbody></table>",
    '<a href="/other#text">Other</a> <a href="https://other.example/">Away</a>',
    '<pre><code>{"code"}</code></pre><svg viewBox="0 0 24 24"><path d="M0 0h24v24z" /></svg>',
  ].join(" ");
}

interface Case {
  readonly label: string;
  readonly jsx: string;
}

const isWhole = process.env["OCTAVO_TEST_ALL"] === "1";

/** Every sixth pair, such that each component is both outside and inside; all pairs in a whole run. */
function isTested(outer: number, inner: number): boolean {
  return isWhole || (outer + inner) % 6 === 0;
}

/** Pages of a whole run have one outer component each; those with a sixth of the pairs have room for several. */
const pageCount = isWhole ? names.length : 8;

function listOuters(page: number): readonly string[] {
  return names.filter((_, at) => at % pageCount === page);
}

function listCases(outer: string): readonly Case[] {
  const inside = names
    .filter((_, at) => isTested(names.indexOf(outer), at))
    .map((inner) => {
      const label = `${outer} > ${inner}`;
      const content = `Words ${write(inner, `inner ${picture}`)} after ${writeElements(label)}`;
      return { label, jsx: write(outer, content) };
    });
  const forAgents = '<Visibility for="agents">hidden</Visibility>';
  const hidden = { label: `${outer} > hidden`, jsx: write(outer, `Words ${forAgents} after`) };
  const inProps = (shownProps[outer] ?? []).flatMap((prop) =>
    ["Badge", "Icon", "Tooltip"].map((inner) => ({
      label: `${outer} ${prop}=${inner}`,
      jsx: write(outer, write("Badge", "content"), `${prop}={${write(inner, "inner")}}`),
    })),
  );
  return [...inside, hidden, ...inProps];
}

type Kind = "static" | "live" | "content";

/**
 * Writes a page that shows each case twice, in components with state or in static ones: in the script of a component,
 * or as the content that the page gives to it.
 */
function writePage(outers: readonly string[], kind: Kind): string {
  const isLive = kind !== "static";
  const state = isLive ? "const [count, set] = useState(0);" : "const count = 0;";
  const handler = isLive ? " onClick={() => set(count + 1)}" : "";
  const define = (name: string, label: string, content: string) =>
    `export const ${name} = ({ label, children }) => { ${state} return <section data-case={${label}}><button${handler}>Count {count}</button>${content}</section> }`;
  const cases = outers.flatMap(listCases);
  const isContent = kind === "content";
  const definitions = isContent
    ? [define("Around", "label", "{children}")]
    : cases.map(({ label, jsx }, at) => define(`Case${at}`, JSON.stringify(label), jsx));
  const uses = cases.map(({ label, jsx }, at) => {
    const use = isContent
      ? `<Around label=${JSON.stringify(label)}>\n${jsx}\n</Around>`
      : `<Case${at} />`;
    return `${use}\n\n${use}`;
  });
  return `---\ntitle: Page\n---\n\n${[...definitions, ...uses].join("\n\n")}\n`;
}

/** The scripts that run: all, or only those of components with state. */
type Scripts = "none" | "components" | "all";

/** Describes what a reader sees of each case: the elements that have boxes, their text and sizes. */
const describePage = `(() => {
  const round = (length) => Math.round(length * 2) / 2;
  const describeTag = (element) => {
    const { width, height } = element.getBoundingClientRect();
    const attributes = [...element.attributes].map(({ name, value }) => {
      return name + "=" + (name === "style" ? element.style.cssText : value);
    }).toSorted();
    return [element.localName, ...attributes, round(width) + "x" + round(height)].join(" ");
  };
  const describe = (parent, indent) => {
    const lines = [];
    let text = "";
    const endText = () => {
      const words = text.replaceAll(/\\s+/g, " ").trim();
      if (words !== "") lines.push(indent + JSON.stringify(words));
      text = "";
    };
    for (const node of parent.childNodes) {
      if (node instanceof Text) text += node.data;
      if (!(node instanceof Element)) continue;
      endText();
      lines.push(indent + describeTag(node), ...describe(node, indent + " "));
    }
    endText();
    return lines;
  };
  const found = {};
  for (const section of document.querySelectorAll("[data-case]")) {
    const label = section.getAttribute("data-case");
    const use = Object.keys(found).filter((key) => key.startsWith(label + ", ")).length + 1;
    found[label + ", use " + use] = describeTag(section) + "\\n" + describe(section, " ").join("\\n");
  }
  return found;
})()`;

const sizes = / ([\d.]+)x([\d.]+)$/gm;

/**
 * Reports whether two descriptions are the same but for half a pixel. Browsers round the width of each text node and do
 * not kern across them, and components with state have more of them.
 */
function isAlike(one: string, other: string): boolean {
  const lengthsOf = (text: string) =>
    [...text.matchAll(sizes)].flatMap(([, width, height]) => [Number(width), Number(height)]);
  const theirs = lengthsOf(other);
  return (
    one.replaceAll(sizes, "") === other.replaceAll(sizes, "") &&
    lengthsOf(one).every((length, at) => Math.abs(length - (theirs[at] ?? Number.NaN)) <= 0.5)
  );
}

/** Shows the pictures in closed parts, and loads the font and the pictures that browsers load when they come into view. */
const showPictures = `(async () => {
  await document.fonts.ready;
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const lazy = [...document.querySelectorAll("img[loading=lazy]")];
  for (const picture of lazy) picture.loading = "eager";
  await Promise.all([...document.images].map((picture) => picture.complete || new Promise((resolve) => {
    picture.addEventListener("load", resolve);
    picture.addEventListener("error", resolve);
  })));
  for (const picture of lazy) picture.loading = "lazy";
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
})()`;

suite("components of the format inside each other, in components with state", () => {
  const cleanup = new AsyncDisposableStack();
  let browser: Browser;
  let folder = "";
  const windows: Partial<Record<Scripts, Promise<Page>>> = {};
  const complaints: string[] = [];
  after(() => cleanup.disposeAsync());

  before(async () => {
    const site = cleanup.use(await temporaryFolder());
    const out = cleanup.use(await temporaryFolder());
    folder = out.path;
    const pages: string[] = ["other"];
    await mkdir(join(site.path, "images"));
    await writeFile(join(site.path, "images/large.svg"), largePicture);
    await writeFile(join(site.path, "other.mdx"), "---\ntitle: Other\n---\n\nText.\n");
    for (const kind of ["live", "static", "content"] as const) {
      await mkdir(join(site.path, kind), { recursive: true });
      for (let page = 0; page < pageCount; page++) {
        pages.push(`${kind}/p${page}`);
        const text = writePage(listOuters(page), kind);
        await writeFile(join(site.path, `${kind}/p${page}.mdx`), text);
      }
    }
    const navigation = { pages };
    const config = { name: "Pairs", theme: "mint", colors: { primary: "#0a7755" }, navigation };
    await writeFile(join(site.path, "docs.json"), JSON.stringify(config));
    const result = await renderSite({ siteDir: site.path, outDir: folder, workers: 1 });
    assert.deepEqual(result.problems, []);
    browser = cleanup.use(await launchChromium());
  });

  async function openWindow(scripts: Scripts): Promise<Page> {
    const context = await browser.newContext({ javaScriptEnabled: scripts !== "none" });
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(error.message));
    if (scripts === "components") await page.route(/octavo\.js$/, (route) => route.abort());
    return page;
  }

  async function describe(path: string, scripts: Scripts): Promise<Record<string, string>> {
    const page = await (windows[scripts] ??= openWindow(scripts));
    await page.goto(pathToFileURL(join(folder, `${path}.html`)).href);
    if (scripts === "components")
      await page.evaluate("document.documentElement.classList.remove('js')");
    // Whether a picture can be enlarged is only known when it is loaded and shown.
    if (scripts === "all") await page.evaluate(showPictures);
    const found = (await page.evaluate(describePage)) as Record<string, string>;
    assert.deepEqual(complaints, []);
    return found;
  }

  function describeOnce(path: string, scripts: Scripts): Promise<Record<string, string>> {
    const key = `${path} ${scripts}`;
    const found = described.get(key) ?? describe(path, scripts);
    described.set(key, found);
    return found;
  }

  async function compare(
    left: readonly [string, Scripts],
    right: readonly [string, Scripts],
  ): Promise<void> {
    const different: string[] = [];
    let count = 0;
    for (let page = 0; page < pageCount; page++) {
      const one = await describeOnce(`${left[0]}/p${page}`, left[1]);
      const other = await describeOnce(`${right[0]}/p${page}`, right[1]);
      assert.deepEqual(Object.keys(one), Object.keys(other));
      for (const [label, text] of Object.entries(one)) {
        count += 1;
        if (!isAlike(text, other[label] ?? ""))
          different.push(`${label}\n-- static\n${text}\n-- live\n${other[label]}`);
      }
    }
    assert.equal(different.length, 0, `${different.length} of ${count} differ: ${different[0]}`);
  }

  const described = new Map<string, Promise<Record<string, string>>>();

  test("scripts of components change nothing", () =>
    compare(["live", "none"], ["live", "components"]));
  test("nor do they in content", () => compare(["content", "none"], ["content", "components"]));
  test("without scripts they look as without state", () =>
    compare(["static", "none"], ["live", "none"]));
  test("with scripts they look as without state", () =>
    compare(["static", "all"], ["live", "all"]));
});
