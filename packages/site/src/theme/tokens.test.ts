import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sampleConfig } from "../../../../test/support/sample-site.ts";
import type { SiteConfig } from "../site/index.ts";
import { computeContrast, parseHex, type Color } from "./color.ts";
import { renderTokenStyles } from "./tokens.ts";

/** The colors that a scheme ends up with, by token. */
function colorsOf(css: string, scheme: "light" | "dark"): Map<string, Color> {
  const start = css.indexOf(scheme === "light" ? ":root {" : ".dark {");
  const block = css.slice(start, css.indexOf("}", start));
  const colors = new Map<string, Color>();
  for (const [, name = "", hex = ""] of block.matchAll(/--c-([\w-]+): (#\w+);/g)) {
    const color = parseHex(hex);
    assert(color, `${name} is no color: ${hex}`);
    colors.set(name, color);
  }
  return colors;
}

const grounds = ["bg", "bg-soft", "bg-mute", "ground", "hover"];
const marks = ["note", "tip", "info", "warning", "danger", "check"];
const pairs: readonly (readonly [text: string, ground: string])[] = [
  ...grounds.flatMap((ground) =>
    ["text", "text-prose", "text-soft", "text-faint", "accent-text", ...marks].map(
      (text) => [text, ground] as const,
    ),
  ),
  ...marks.map((mark) => [mark, `${mark}-soft`] as const),
  ...marks.map((mark) => ["text", `${mark}-soft`] as const),
  ["accent-text", "accent-soft"],
  ["on-accent", "accent"],
  ["on-fill", "fill"],
];

const cases: Readonly<Record<string, Partial<SiteConfig>>> = {
  "a dark green": {},
  "black and white": { colors: { primary: "#09090b", light: "#fafafa", dark: "#09090b" } },
  "a pale yellow that white cannot carry": {
    colors: { primary: "#fff3a0", light: "#fff3a0", dark: "#fff3a0" },
  },
  "a navy that black cannot carry": {
    colors: { primary: "#000033", light: "#000033", dark: "#000033" },
  },
  "short hex": { colors: { primary: "#0af", light: "#0af", dark: "#0af" } },
  "its own backgrounds": {
    colors: { primary: "#2d00f7", light: "#4cc9f0", dark: "#f72585" },
    background: { color: { light: "#EEEEEE", dark: "#222831" } },
  },
  "a column of its own tint": { theme: "maple" },
  "a sheet": { theme: "almond" },
  "a sheet on its own backgrounds": {
    theme: "aspen",
    background: { color: { light: "#e8dcc8", dark: "#2b3a4a" } },
  },
  "a sheet on backgrounds the wrong way round": {
    theme: "almond",
    background: { color: { light: "#101820", dark: "#fdf6e3" } },
  },
  "backgrounds the wrong way round": {
    background: { color: { light: "#101820", dark: "#fdf6e3" } },
  },
};

describe("tokenStyles", () => {
  for (const [name, config] of Object.entries(cases)) {
    for (const scheme of ["light", "dark"] as const) {
      it(`can be read in ${scheme} with ${name}`, () => {
        const colors = colorsOf(
          renderTokenStyles({ config: sampleConfig(config), assets: [] }),
          scheme,
        );
        for (const [text, ground] of pairs) {
          const [front, back] = [colors.get(text), colors.get(ground)];
          assert(front && back, `${text} or ${ground} is missing`);
          const ratio = computeContrast(front, back);
          assert(ratio >= 4.5, `${text} on ${ground}: ${ratio.toFixed(2)}`);
        }
      });
    }
  }

  it("loads fonts of the site and none from elsewhere", () => {
    const config = sampleConfig({
      fonts: {
        heading: { family: "Own", source: "/fonts/Own-Variable.woff2" },
        body: { family: 'Far"; } x', source: "https://fonts.example.com/far.woff2" },
      },
    });
    const css = renderTokenStyles({ config, assets: [] });
    assert.match(css, /src: url\("\.\.\/fonts\/Own-Variable\.woff2"\) format\("woff2"\)/);
    assert.match(css, /font-weight: 100 900;/);
    assert.doesNotMatch(css, /fonts\.example\.com/);
    assert.match(css, /--font-body: "Far; } x", ui-sans-serif/);
  });
});
