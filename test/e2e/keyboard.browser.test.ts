import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { openSite, type SiteInBrowser } from "../support/open-page.ts";

/** Actions of readers who do not use a pointer. */

const desktop = { viewport: { width: 1440, height: 900 } };
const phone = { viewport: { width: 390, height: 844 } };

/** Where the focus went with one press of Tab. */
interface Stop {
  /** The part of the page that contains it. */
  readonly part: string;
  readonly name: string;
  /** It has an outline. */
  readonly isMarked: boolean;
  /** Whether the element itself is at its center, not something in front of it. */
  readonly isSeen: boolean;
}

/** Names an element independently of attributes that change while one reads. */
const nameScript = `(element) => [
  element.localName, element.id, element.className, element.getAttribute("href"), element.textContent.slice(0, 80),
].join(" ")`;

/** Cards and tiles are marked as a whole: the link in their title stretches over them. */
const stopScript = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return undefined;
  const parts = [
    ["skip", ".skip-link"], ["search", ".search-button"], ["header", "#header"], ["sidebar", "#sidebar"],
    ["contents", "#table-of-contents"], ["footer", "#footer"], ["content", "#content-container"],
  ];
  const part = parts.find(([, selector]) => element.closest(selector))?.[0] ?? "elsewhere";
  const hasOutline = (owner, pseudo) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(owner, pseudo);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1;
  };
  const marked = [element, element.closest(".card, .tile")].filter((owner) => owner !== null);
  const isMarked = marked.some((owner) =>
    [undefined, "::before", "::after"].some((pseudo) => hasOutline(owner, pseudo)));
  const box = [...element.getClientRects()].find(({ width, height }) => width > 0 && height > 0);
  const front = box && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  const isSeen = Boolean(front) && (element.contains(front) || front.contains(element));
  return { part, name: (${nameScript})(element), isMarked, isSeen };
})()`;

/** Presses Tab from the top until the page is left; throws where it never is. */
async function walk(page: Page): Promise<Stop[]> {
  const stops: Stop[] = [];
  while (stops.length < 400) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate<Stop | undefined>(stopScript);
    if (stop === undefined) return stops;
    stops.push(stop);
  }
  throw new Error(`The focus never leaves the page: ${stops.at(-1)?.name}`);
}

/** Names of all elements that Tab shall reach. */
const reachableScript = `[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
  .filter((element) => element.tabIndex >= 0 && !element.disabled && element.checkVisibility({ visibilityProperty: true }))
  .map(${nameScript})`;

const walks: readonly (readonly [site: string, pages: readonly string[]])[] = [
  ["docs", ["quickstart", "reference/components"]],
  ["test/sites/api-page/docs", ["api-reference/stations/order-a-reading"]],
  ["test/sites/changelog/docs", ["changelog"]],
  ["test/sites/right-to-left/docs", ["ar/index"]],
  ["test/sites/tabs/docs", ["index"]],
];

for (const [folder, pages] of walks) {
  suite(`by keyboard alone, ${folder}`, () => {
    let site: SiteInBrowser;
    before(async () => {
      site = await openSite(folder);
    });
    after(() => site[Symbol.asyncDispose]());

    for (const path of pages) {
      for (const [name, window] of [
        ["a desktop", desktop],
        ["a phone", phone],
      ] as const) {
        test(`Tab goes through all of ${path} on ${name}`, () =>
          site.withPage(path, { ...window, reducedMotion: "reduce" }, async (page) => {
            const reachable = await page.evaluate<string[]>(reachableScript);
            const stops = await walk(page);
            const unmarked = stops.filter(({ isMarked }) => !isMarked);
            assert.deepEqual(unmarked, [], "the focus is seen");
            const hidden = stops.filter(({ isSeen }) => !isSeen);
            assert.deepEqual(hidden, [], "nothing stands in front of the focus");
            assert.equal(stops[0]?.part, "skip");
            const parts = [...new Set(stops.map(({ part }) => part))];
            const inOrder = ["skip", "search", "sidebar", "content"].filter((part) =>
              parts.includes(part),
            );
            assert.deepEqual(
              parts.filter((part) => inOrder.includes(part)),
              inOrder,
            );
            assert.ok(inOrder.length === (name === "a phone" ? 3 : 4), parts.join(" "));
            const reached = new Set(stops.map((stop) => stop.name));
            const left = reachable.filter((element) => !reached.has(element));
            assert.deepEqual(left, [], "nothing is passed over");
          }));
      }
    }
  });
}

/** The id or else the class of what has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement.id || document.activeElement.className");
}

suite("keys", () => {
  let site: SiteInBrowser;
  before(async () => {
    site = await openSite("docs");
  });
  after(() => site[Symbol.asyncDispose]());

  test("the first link leads past the navigation", () =>
    site.withPage("quickstart", desktop, async (page) => {
      await page.keyboard.press("Tab");
      assert.equal(await page.locator(".skip-link").isVisible(), true);
      await page.keyboard.press("Enter");
      assert.equal(await focused(page), "content-area");
      await page.keyboard.press("Tab");
      const stop = await page.evaluate<Stop>(stopScript);
      assert.equal(stop.part, "content");
    }));

  test("Escape closes the search and gives the focus back", () =>
    site.withPage("quickstart", desktop, async (page) => {
      const isOpen = () => page.locator("dialog[open]").count();
      const before = page.locator("#content a").first();
      await before.focus();
      for (const key of ["/", "Control+k"]) {
        await page.keyboard.press(key);
        await page.keyboard.type("exp");
        assert.equal(await isOpen(), 1, key);
        await page.keyboard.press("Escape");
        // Browsers clear a search field by the first one.
        if ((await isOpen()) === 1) await page.keyboard.press("Escape");
        assert.equal(await isOpen(), 0, key);
        const isBack = await before.evaluate((link) => link === link.ownerDocument.activeElement);
        assert.equal(isBack, true, `${key}: the focus is where it was`);
      }
    }));

  test("a result is chosen and opened without a pointer", () =>
    site.withPage("quickstart", desktop, async (page) => {
      await page.keyboard.press("/");
      await page.keyboard.type("webhooks");
      await page.locator("dialog[open] [role=option] mark").first().waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.waitForURL(/webhooks\.html/);
    }));

  test("the menu of a phone keeps the focus until Escape closes it", () =>
    site.withPage("quickstart", { ...phone, reducedMotion: "reduce" }, async (page) => {
      await page.locator(".menu-button").focus();
      await page.keyboard.press("Enter");
      const parts = new Set<string>();
      for (let press = 0; press < 30; press += 1) {
        const stop = await page.evaluate<Stop | undefined>(stopScript);
        if (stop !== undefined) parts.add(stop.part);
        await page.keyboard.press("Tab");
      }
      assert.deepEqual([...parts], ["sidebar"]);
      await page.keyboard.press("Escape");
      assert.match(await focused(page), /menu-button/);
      assert.equal(await page.locator("#sidebar").isVisible(), false);
    }));
});
