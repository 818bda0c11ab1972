import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../../test/support/chromium.ts";
import { addressOf } from "../corpus.ts";
import type { Corpus } from "../corpus.ts";
import { progress } from "../progress.ts";
import { serveSite } from "./serve-site.ts";

/** Gzipped bytes that a page loads before any interaction. */
export interface PageWeight {
  readonly html: number;
  readonly css: number;
  readonly js: number;
}

const sampled = 41;
const kinds = { document: "html", stylesheet: "css", script: "js" } as const;

/** Opens a sample of pages, spread evenly from the shortest to the longest, each in a browser without a cache. */
export async function weighPages(output: string, corpus: Corpus): Promise<PageWeight[]> {
  progress(`weighing pages of ${output}`);
  await using server = await serveSite(output);
  await using browser = await launchChromium();
  const sorted = corpus.toSorted((a, b) => a.markdown.length - b.markdown.length);
  const weights: PageWeight[] = [];
  for (let index = 0; index < sampled; index += 1) {
    const page = sorted[Math.round((index * (sorted.length - 1)) / (sampled - 1))];
    if (page) weights.push(await weighPage(browser, `${server.url}/${addressOf(page.name)}`));
  }
  return weights;
}

async function weighPage(browser: Browser, url: string): Promise<PageWeight> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const loads = collectLoads(page);
  await page.goto(url, { waitUntil: "networkidle" });
  const weight = { html: 0, css: 0, js: 0 };
  for (const { kind, content } of await Promise.all(loads)) {
    weight[kind] += gzipSync(content).byteLength;
  }
  await context.close();
  return weight;
}

/** Collects the files that the page shows and runs; files that it prefetches for other pages are not counted. */
function collectLoads(
  page: Page,
): Promise<{ readonly kind: keyof PageWeight; readonly content: Buffer }>[] {
  const loads: Promise<{ kind: keyof PageWeight; content: Buffer }>[] = [];
  page.on("response", (response) => {
    const type = response.request().resourceType();
    if (!response.ok() || !Object.hasOwn(kinds, type)) return;
    const kind = kinds[type as keyof typeof kinds];
    loads.push(response.body().then((content) => ({ kind, content })));
  });
  return loads;
}
