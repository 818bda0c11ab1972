/**
 * Creates the text font of exported sites (`packages/site/src/theme/fonts/`) from its package, and prints the
 * declarations of `text-font.css` that depend on it. Fetches the packages below into a temporary folder, in fixed
 * versions, so that the result is always the same. They are not dependencies of the repository, because the font rarely
 * changes.
 *
 * With `--check`, changes nothing, and fails if the committed font differs.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const packages = [
  "geist@1.7.2",
  "subset-font@2.9.0",
  "harfbuzzjs@1.6.4",
  "fontverter@2.0.0",
  "wawoff2@2.0.1",
  // The fonts below provide the metrics of the fallbacks. Arimo has the metrics of Arial and Liberation Sans.
  "@fontsource/arimo@5.3.0",
  "@fontsource/roboto@5.3.0",
];
const fonts = resolve(import.meta.dirname, "../packages/site/src/theme/fonts");

/**
 * The characters of the font, all of which the source font contains. A hyphen separates the first and last of a range.
 */
const ranges = [
  "20-7E A0-AC AE-113 116-12B 12E-137 139-13E 141-148 14A-14D 150-17E", // languages of Europe, and Turkish
  "218-21B 1E9E", // Romanian; the capital sharp s
  "2013-2014 2018-201A 201C-201E 2020-2022 2026 2030 2039-203A 2044", // punctuation
  "20AC 2122 2190-2193 2212 2248 2260 2264-2265", // signs, and the arrows of instructions
]
  .join(" ")
  .split(" ")
  .map((range) => range.split("-").map((code) => Number.parseInt(code, 16)))
  .map(([first = 0, last = first]) => ({ first, last }));

/** Font features: kerning, composed characters, and language-specific letter forms. */
const keepFeatures = ["kern", "ccmp", "locl"];
/** The range of font weights that the theme uses. */
const weights = { min: 400, max: 700 };

interface SubsetOptions {
  readonly targetFormat: "woff2" | "truetype";
  readonly keepFeatures?: readonly string[];
  readonly noHinting?: boolean;
  readonly variationAxes?: Readonly<Record<string, number | typeof weights>>;
}
type SubsetFont = (font: Buffer, text: string, options: SubsetOptions) => Promise<Buffer>;

/** The metrics of a font that determine the height and length of a line, in units of the font's size. */
interface Metrics {
  readonly ascent: number;
  readonly descent: number;
  readonly lineGap: number;
  /** The mean width of a letter in English text. */
  readonly width: number;
}

/** Readable text with the frequencies of English letters. */
const sampleText =
  "The quick start shows how to export a site and open it in a browser. Each page of the site becomes a file " +
  "with its own address, so that the same folder works on every host. When a link does not lead to a page, the " +
  "report names the line and the nearest page. Set a value in the configuration, or leave it out to use the " +
  "default. You can search the whole site without a server, because the index is a part of it.";

const work = mkdtempSync(join(tmpdir(), "octavo-font-"));
try {
  await main(process.argv.includes("--check"));
} finally {
  rmSync(work, { recursive: true });
}

async function main(isCheck: boolean): Promise<void> {
  writeFileSync(join(work, "package.json"), "{}");
  const install = ["install", "--no-save", "--ignore-scripts", "--legacy-peer-deps", "--no-audit"];
  execFileSync("npm", [...install, "--no-fund", ...packages], { cwd: work, stdio: "inherit" });
  const load = createRequire(join(work, "package.json"));
  const subsetFont = load("subset-font") as SubsetFont;
  const geist = join(work, "node_modules/geist");
  const source = readFileSync(join(geist, "dist/fonts/geist-sans/Geist-Variable.woff2"));
  const text = ranges
    .flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, at) => first + at))
    .map((code) => String.fromCodePoint(code))
    .join("");
  const options = { keepFeatures, noHinting: true, variationAxes: { wght: weights } };
  const font = await subsetFont(source, text, { ...options, targetFormat: "woff2" });
  const file = join(fonts, "geist.woff2");
  if (isCheck) {
    if (!font.equals(readFileSync(file))) throw new Error(`${file} differs from its sources.`);
    return;
  }
  writeFileSync(file, font);
  cpSync(join(geist, "LICENSE.txt"), join(fonts, "geist-license.txt"));
  process.stdout.write(`${font.length} bytes\n${await formatDeclarations(subsetFont, source)}\n`);
}

async function formatDeclarations(subsetFont: SubsetFont, source: Buffer): Promise<string> {
  const read = async (font: Buffer, weight?: number): Promise<Metrics> => {
    const axes = weight === undefined ? {} : { variationAxes: { wght: weight } };
    return readMetrics(await subsetFont(font, sampleText, { targetFormat: "truetype", ...axes }));
  };
  const lines = [`unicode-range: ${ranges.map(formatRange).join(", ")};`];
  for (const weight of [400, 700]) {
    const own = await read(source, weight);
    for (const name of ["arimo", "roboto"]) {
      const file = `node_modules/@fontsource/${name}/files/${name}-latin-${weight}-normal.woff2`;
      const other = await read(readFileSync(join(work, file)));
      lines.push(`${name} ${weight}: ${formatOverrides(own, other)}`);
    }
  }
  return lines.join("\n");
}

function formatRange({ first, last }: (typeof ranges)[number]): string {
  const [start, end] = [first, last].map((code) =>
    code.toString(16).toUpperCase().padStart(4, "0"),
  );
  return first === last ? `U+${start}` : `U+${start}-${end}`;
}

/** Formats the descriptors with which text in the other font has the width and height of text in our font. */
function formatOverrides(own: Metrics, other: Metrics): string {
  const size = own.width / other.width;
  return [
    `size-adjust: ${formatPercent(size)}`,
    `ascent-override: ${formatPercent(own.ascent / size)}`,
    `descent-override: ${formatPercent(own.descent / size)}`,
    `line-gap-override: ${formatPercent(own.lineGap / size)}`,
  ].join("; ");
}

function formatPercent(value: number): string {
  return `${(value * 100).toFixed(2)}%`;
}

function readMetrics(font: Buffer): Metrics {
  const tables = new Map<string, Buffer>();
  for (let at = 12; at < 12 + 16 * font.readUInt16BE(4); at += 16) {
    const start = font.readUInt32BE(at + 8);
    const tag = font.toString("latin1", at, at + 4);
    tables.set(tag, font.subarray(start, start + font.readUInt32BE(at + 12)));
  }
  const table = (tag: string) => tables.get(tag) ?? Buffer.alloc(0);
  const unit = table("head").readUInt16BE(18);
  const hhea = table("hhea");
  const glyphOf = readCharacterMap(table("cmap"));
  const longCount = hhea.readUInt16BE(34);
  const widths = Array.from(sampleText, (letter) => {
    const glyph = glyphOf(letter.charCodeAt(0));
    return table("hmtx").readUInt16BE(4 * Math.min(glyph, longCount - 1));
  });
  const total = widths.reduce((sum, width) => sum + width, 0);
  return {
    ascent: hhea.readInt16BE(4) / unit,
    descent: -hhea.readInt16BE(6) / unit,
    lineGap: hhea.readInt16BE(8) / unit,
    width: total / widths.length / unit,
  };
}

/** Reads the subtable of format 4, which maps the characters of the basic plane. */
function readCharacterMap(cmap: Buffer): (code: number) => number {
  const count = cmap.readUInt16BE(2);
  const offsets = Array.from({ length: count }, (_, at) => cmap.readUInt32BE(8 + 8 * at));
  const start = offsets.find((offset) => cmap.readUInt16BE(offset) === 4);
  if (start === undefined) throw new Error("The font has no character map of format 4.");
  const segments = cmap.readUInt16BE(start + 6);
  return (code) => {
    for (let at = 0; at < segments; at += 2) {
      if (cmap.readUInt16BE(start + 14 + at) < code) continue;
      const first = cmap.readUInt16BE(start + 16 + segments + at);
      if (first > code) return 0;
      const delta = cmap.readUInt16BE(start + 16 + 2 * segments + at);
      const place = start + 16 + 3 * segments + at;
      const offset = cmap.readUInt16BE(place);
      if (offset === 0) return (code + delta) & 0xffff;
      return (cmap.readUInt16BE(place + offset + 2 * (code - first)) + delta) & 0xffff;
    }
    return 0;
  };
}
