/** Diagrams of every kind, as readers see them: each text is in its drawing, in both schemes, and nothing is loaded. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { temporaryFolder, writeFiles, type TemporaryFolder } from "../support/temporary-folder.ts";
import { smallDiagrams } from "./diagram-table.ts";

const perPage = 40;
const pageCount = Math.ceil(smallDiagrams.length / perPage);

function pageOf(at: number): string {
  const blocks = smallDiagrams
    .slice(at * perPage, (at + 1) * perPage)
    .map(({ source }) => `\`\`\`mermaid\n${source}\n\`\`\``);
  return `---\ntitle: Page ${at}\n---\n\n${blocks.join("\n\n")}\n`;
}

interface Seen {
  readonly text: string;
  readonly isDrawn: boolean;
  /** Texts and lines without enough contrast. */
  readonly faint: readonly string[];
}

/** Run in the page: what is in each drawing. Measures as `ensure-contrast.ts` does not: by the pixels' own colors. */
const look = `(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colors = new Map();
  const colorOf = (value) => {
    if (!colors.has(value)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = "rgba(0,0,0,0)";
      canvas.fillStyle = value;
      canvas.fillRect(0, 0, 1, 1);
      colors.set(value, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return colors.get(value);
  };
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const contrast = (one, other) => {
    const [a, b] = [light(one), light(other)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const over = (ground, [r, g, b, a], alpha) => {
    const share = (a / 255) * alpha;
    return [r, g, b].map((v, at) => ground[at] * (1 - share) + v * share);
  };
  const opacity = (element) => element === null ? 1 : Number(getComputedStyle(element).opacity) * opacity(element.parentElement);
  const pageColor = colorOf(getComputedStyle(document.documentElement).getPropertyValue("--c-bg")).slice(0, 3);
  return [...document.querySelectorAll("figure.diagram")].map((figure) => {
    const box = figure.querySelector(".diagram-drawing");
    const svg = (box?.shadowRoot ?? box)?.querySelector("svg");
    const caption = figure.querySelector("figcaption")?.textContent ?? "";
    if (!svg) return { text: "", isDrawn: false, faint: [] };
    const everything = [...svg.querySelectorAll("*")].filter((element) => !element.closest("defs, marker, clipPath, style, title, desc"));
    const shapes = everything.filter((element) => element instanceof SVGGeometryElement);
    const groundAt = (x, y, before) => {
      let ground = pageColor;
      for (const shape of shapes) {
        if (shape === before || before.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING) continue;
        const styles = getComputedStyle(shape);
        if (styles.fill === "none" || styles.fill.startsWith("url")) continue;
        const point = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
        if (shape.isPointInFill(point)) ground = over(ground, colorOf(styles.fill), Number(styles.fillOpacity) * opacity(shape));
      }
      return ground;
    };
    const faint = [];
    for (const element of everything) {
      const own = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join("");
      if (own === "" || element.matches(".sequenceNumber, .sequenceNumber *")) continue;
      const { left, right, top, bottom } = element.getBoundingClientRect();
      if (right - left < 1) continue;
      const styles = getComputedStyle(element);
      const ground = groundAt((left + right) / 2, (top + bottom) / 2, element);
      const value = element instanceof SVGElement ? styles.fill : styles.color;
      const ink = over(ground, colorOf(value), (element instanceof SVGElement ? Number(styles.fillOpacity) : 1) * opacity(element));
      const found = contrast(ink, ground);
      if (found < 4.5) faint.push("text " + own + " " + found.toFixed(2));
    }
    for (const shape of shapes) {
      const styles = getComputedStyle(shape);
      const length = shape.getTotalLength();
      const alpha = Number(styles.strokeOpacity) * opacity(shape);
      if (styles.stroke === "none" || styles.stroke.startsWith("url") || parseFloat(styles.strokeWidth) === 0) continue;
      if (length === 0 || alpha === 0 || colorOf(styles.stroke)[3] === 0 || styles.visibility === "hidden") continue;
      const { x, y } = shape.getPointAtLength(length / 2).matrixTransform(shape.getScreenCTM());
      const ground = groundAt(x, y, shape);
      if (contrast(over(ground, colorOf(styles.stroke), alpha), ground) >= 3) continue;
      const fill = styles.fill === "none" || styles.fill.startsWith("url") ? [0, 0, 0, 0] : colorOf(styles.fill);
      if (fill[3] > 250 && contrast(fill, ground) >= 3) continue;
      faint.push("line " + shape.outerHTML.slice(0, 160) + " on " + ground.map(Math.round));
    }
    const texts = [...svg.querySelectorAll("text, foreignObject")].map((text) => text.textContent);
    return { text: [caption, ...texts].join("\\n"), isDrawn: true, faint };
  });
})()`;

/** Run in the page: the color of the first diagram's labels. */
const labelColor = `(() => {
  const box = document.querySelector(".diagram-live .diagram-drawing");
  const label = box?.shadowRoot?.querySelector(".node text");
  return label ? getComputedStyle(label).fill : "";
})()`;

async function drawAll(page: Page): Promise<readonly Seen[]> {
  const live = page.locator(".diagram-live");
  for (const figure of await live.all()) {
    await figure.scrollIntoViewIfNeeded();
    await figure
      .locator(".diagram-drawing")
      .waitFor({ timeout: 60_000 })
      .catch(() => undefined);
  }
  return (await page.evaluate(look)) as readonly Seen[];
}

suite("diagrams of every kind", () => {
  let folder: TemporaryFolder;
  let browser: Browser;
  before(async () => {
    folder = await temporaryFolder();
    const pages = Array.from({ length: pageCount }, (_, at) => [`p${at}.mdx`, pageOf(at)] as const);
    const config = {
      theme: "mint",
      name: "Diagrams",
      colors: { primary: "#0a7755" },
      navigation: { pages: ["plain", "kinds", ...pages.map((_, at) => `p${at}`)] },
    };
    const siteDir = join(folder.path, "site");
    await writeFiles(siteDir, {
      "docs.json": JSON.stringify(config),
      "plain.md": "# Plain\n\n```mermaid\ngraph LR\n  a --> b\n```\n",
      "kinds.md":
        '# Kinds\n\n```mermaid\ngraph TD\n  top --> middle --> bottom\n  click top "https://example.com"\n```\n',
      ...Object.fromEntries(pages),
    });
    const { problems } = await renderSite({ siteDir, outDir: join(folder.path, "out") });
    assert.deepEqual(
      problems.map(({ message }) => message),
      [],
    );
    browser = await launchChromium();
  });
  after(async () => {
    await browser.close();
    await folder[Symbol.asyncDispose]();
  });

  test("are drawn again when the scheme changes, with buttons for large ones", async () => {
    const page = await browser.newPage({ colorScheme: "light" });
    await page.goto(pathToFileURL(join(folder.path, "out/kinds.html")).href);
    const figure = page.locator(".diagram-live").first();
    await figure.locator(".diagram-controls").waitFor({ timeout: 60_000 });
    const colorOf = () => page.evaluate(labelColor);
    const light = await colorOf();
    await page.locator(".scheme-toggle").first().click();
    await page.waitForFunction('document.documentElement.classList.contains("dark")');
    await assertSoon(async () => (await colorOf()) !== light && (await colorOf()) !== "");
    assert.equal(await figure.locator(".diagram-controls").count(), 1);
    assert.equal(await figure.locator(".diagram-source").getAttribute("open"), null);
    await page.close();
  });

  test("that Mermaid draws are their source without scripts, and are loaded by their pages only", async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(pathToFileURL(join(folder.path, "out/kinds.html")).href);
    assert(await page.getByText("click top").first().isVisible());
    await page.close();
    const plain = await readFile(join(folder.path, "out/plain.html"), "utf8");
    assert.doesNotMatch(plain, /diagrams\.js|mermaid\.js/);
    const kinds = await readFile(join(folder.path, "out/kinds.html"), "utf8");
    assert.match(kinds, /_octavo\/diagrams\.js/);
    assert.doesNotMatch(kinds, /mermaid\.js/);
    assert.match(await readFile(join(folder.path, "out/kinds.md"), "utf8"), /click top/);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    for (let at = 0; at < pageCount; at++) {
      test(`have all their texts, readable, on page ${at} in the ${colorScheme} scheme`, async () => {
        const page = await browser.newPage({ colorScheme });
        const requests: string[] = [];
        page.on("request", (request) => requests.push(request.url()));
        await page.goto(pathToFileURL(join(folder.path, `out/p${at}.html`)).href);
        const seen = await drawAll(page);
        const diagrams = smallDiagrams.slice(at * perPage, (at + 1) * perPage);
        const faults = diagrams.flatMap(({ source, texts }, index) => {
          const { text = "", isDrawn, faint = [] } = seen[index] ?? {};
          if (!isDrawn) return [`not drawn: ${source}`];
          const shown = squeeze(text);
          const lost = texts.filter((part) => !shown.includes(squeeze(part)));
          return [...lost.map((part) => `lost: ${part}`), ...faint].map(
            (fault) => `${fault} in ${source}`,
          );
        });
        assert.deepEqual(faults, []);
        assert.deepEqual(
          requests.filter((url) => !/^(?:file|data|blob):/.test(url)),
          [],
        );
        await page.close();
      });
    }
  }
});

async function assertSoon(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await holds()) return;
    await setTimeout(50);
  }
  assert.fail("It did not come true.");
}

function squeeze(text: string): string {
  return text.replaceAll(/[\s\u200b]+/g, "");
}
