import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { allWords } from "../markup/testing.ts";
import { division, group, sampleSite } from "../../../../test/support/sample-site.ts";
import type { SiteConfig } from "../site/index.ts";
import { createThemeFiles, findTextFont } from "./assets.ts";

const navigation = division("root", "", { entries: [group("Start", ["index"])] });

async function filesOf(config: Partial<SiteConfig>) {
  const site = sampleSite({ navigation, config });
  const options = { iconCss: "", codeCss: "", classNames: new Set<string>(), words: allWords };
  const files = await createThemeFiles(site, options);
  const css = files.find(({ path }) => path.endsWith(".css"))?.content;
  assert(typeof css === "string");
  return { css, fonts: files.map(({ path }) => path).filter((path) => path.includes("/fonts/")) };
}

describe("text font", () => {
  it("is in the bundle with its license, and no larger than a page has room for", async () => {
    const { css, fonts } = await filesOf({});
    assert.deepEqual(fonts, ["_octavo/fonts/geist.woff2", "_octavo/fonts/geist-license.txt"]);
    assert.match(css, /url\(fonts\/geist\.woff2\)/);
    const license = await readFile(new URL("fonts/geist-license.txt", import.meta.url), "utf8");
    assert.match(license, /SIL OPEN FONT LICENSE Version 1\.1/);
    const { byteLength } = await readFile(new URL("fonts/geist.woff2", import.meta.url));
    assert(byteLength <= 21_000, `${byteLength} bytes`);
  });

  for (const fonts of [
    { body: { family: "Own" } },
    { heading: { family: "Own", source: "/own.woff2" } },
  ]) {
    it(`is not in the bundle of a site with fonts of its own: ${Object.keys(fonts).join()}`, async () => {
      const { css, fonts: files } = await filesOf({ fonts });
      assert.deepEqual(files, []);
      assert.doesNotMatch(css, /geist/i);
      assert.equal(findTextFont({ fonts }, "en"), undefined);
    });
  }

  it("is that of pages in languages whose letters it has", () => {
    const covered = ["en", "de-AT", "fr", "pl", "tr", "ro", "pt-BR", "sr-Latn", "lv"];
    const others = ["zh-Hans", "ja", "ko", "ar", "he", "ru", "uk", "el", "vi", "hi", "sr"];
    for (const tag of covered) assert(findTextFont({}, tag) !== undefined, tag);
    for (const tag of others) assert.equal(findTextFont({}, tag), undefined, tag);
  });

  it("has the characters, weights and height that its style sheet declares", async () => {
    const file = await readFile(new URL("fonts/geist.woff2", import.meta.url));
    const css = await readFile(new URL("text-font.css", import.meta.url), "utf8");
    const [own = "", ...fallbacks] = css.split("@font-face").slice(1);
    const font = readFont(file);
    const declared = Array.from(own.matchAll(/U\+([\dA-F]+)(?:-([\dA-F]+))?/g), ([, a = "", b]) => {
      const [first, last] = [a, b ?? a].map((code) => Number.parseInt(code, 16));
      return { first, last };
    });
    assert.deepEqual(font.ranges, declared);
    assert.deepEqual(font.axes, [{ tag: "wght", min: 400, max: 700 }]);
    assert.match(own, /font-weight: 400 700;/);
    assert.equal(fallbacks.length, 4);
    for (const face of fallbacks) {
      const [size = 0, ascent = 0, descent = 0] =
        ["size-adjust", "ascent-override", "descent-override"] // prettier-ignore
          .map((name) => Number(new RegExp(`${name}: ([\\d.]+)%`).exec(face)?.[1]) / 100);
      assert(Math.abs(ascent * size - font.ascent) < 1e-3, face);
      assert(Math.abs(descent * size - font.descent) < 1e-3, face);
    }
  });
});

/** The tags that a WOFF2 file abbreviates, by number, as far as the font has them before the tables that are read. */
const knownTags = "cmap head hhea hmtx maxp name OS/2 post cvt fpgm glyf loca prep CFF VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea vmtx BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG sbix acnt avar bdat bloc bsln cvar fdsc feat fmtx fvar gvar".split(" "); // prettier-ignore

function readFont(file: Buffer) {
  assert.equal(file.toString("latin1", 0, 4), "wOF2");
  let at = 48;
  const readNumber = () => {
    let value = 0;
    for (;;) {
      const byte = file.readUInt8(at++);
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
    }
  };
  let start = 0;
  const places = new Map<string, number>();
  for (let left = file.readUInt16BE(12); left > 0; left -= 1) {
    const flags = file.readUInt8(at++);
    const isNamed = (flags & 63) === 63;
    const tag = isNamed ? file.toString("latin1", at, at + 4) : (knownTags[flags & 63] ?? "");
    if (isNamed) at += 4;
    const length = readNumber();
    const version = flags >> 6;
    const isTransformed = ["glyf", "loca"].includes(tag) ? version !== 3 : version !== 0;
    places.set(tag, start);
    start += isTransformed ? readNumber() : length;
  }
  const data = brotliDecompressSync(file.subarray(at, at + file.readUInt32BE(20)));
  const table = (tag: string) => data.subarray(places.get(tag) ?? data.length);
  const unit = table("head").readUInt16BE(18);
  return {
    ascent: table("hhea").readInt16BE(4) / unit,
    descent: -table("hhea").readInt16BE(6) / unit,
    ranges: readRanges(table("cmap")),
    axes: readAxes(table("fvar")),
  };
}

/** Reads the characters from the subtable of format 4. */
function readRanges(cmap: Buffer) {
  const offsets = Array.from({ length: cmap.readUInt16BE(2) }, (_, at) => cmap.readUInt32BE(8 + 8 * at)); // prettier-ignore
  const start = offsets.find((offset) => cmap.readUInt16BE(offset) === 4) ?? 0;
  const size = cmap.readUInt16BE(start + 6);
  const ranges: { first: number; last: number }[] = [];
  for (let at = start + 14; at < start + 14 + size; at += 2) {
    const [last, first] = [cmap.readUInt16BE(at), cmap.readUInt16BE(at + size + 2)];
    if (first === 0xffff) continue;
    const before = ranges.at(-1);
    if (before?.last === first - 1) before.last = last;
    else ranges.push({ first, last });
  }
  return ranges;
}

function readAxes(fvar: Buffer) {
  const first = fvar.readUInt16BE(4);
  return Array.from({ length: fvar.readUInt16BE(8) }, (_, index) => {
    const at = first + 20 * index;
    const [min, max] = [4, 12].map((offset) => fvar.readInt32BE(at + offset) / 65_536);
    return { tag: fvar.toString("latin1", at, at + 4), min, max };
  });
}
