import { readFileSync, statSync } from "node:fs";
import {
  describeSystemRefusal,
  limits,
  resolveRealPathSync,
  sha256,
  type Problem,
} from "../core/index.ts";
import type { Reference } from "../page/index.ts";
import {
  createSiteLinks,
  resolveLink,
  resolveMedia,
  type SiteLinks,
  getRelativeAddress,
  getRelativePageAddress,
} from "../site/index.ts";
import type { Resolution, Site } from "../site/index.ts";
import { describeMissingFile, explainExclusion } from "../load/index.ts";
import {
  applyEdits,
  findCssAddresses,
  isJsonString,
  LineIndex,
  setCssAddress,
  setString,
  tryParseJson,
  walkJson,
} from "../text/index.ts";
import type { JsonNode, TextEdit } from "../text/index.ts";
import type { ExportRun } from "./export-run.ts";
import { mapBounded } from "./map-bounded.ts";

const concurrentCopies = 16;

type CopyRun = Pick<ExportRun, "settings" | "source" | "bundle">;

interface ReferringPage {
  readonly page: { readonly path: string };
  readonly rendered: { readonly references: readonly Reference[] };
}

/**
 * Copies the site's own files into the bundle. The addresses in style sheets, SVG images and manifests are rewritten
 * so that they are valid there; all other files are copied unchanged. Files in ignored folders are copied if a page or
 * a copied file refers to them. Returns a problem for each file that cannot be read, and for each missing file to which
 * a style sheet or a file in use refers.
 */
export async function copyAssets(
  run: CopyRun,
  pages: readonly ReferringPage[],
): Promise<readonly Problem[]> {
  const { site } = run.source;
  let links: SiteLinks | undefined;
  const getLinks = () => (links ??= createSiteLinks(site));
  const copy = new AssetCopy(run, getLinks);
  await copy.add([...site.assets, ...site.styles, ...site.scripts]);
  const spareFiles = new Set(site.spareAssets);
  if (spareFiles.size === 0 && !copy.hasProblems) return copy.listProblems(() => true);
  const namedFiles = listNamedFiles(pages, getLinks());
  for (let added: readonly string[] = [...namedFiles]; added.length > 0;) {
    await copy.add(added.filter((file) => spareFiles.has(file)));
    added = copy.takeNamedFiles().filter((file) => !namedFiles.has(file));
    for (const file of added) namedFiles.add(file);
  }
  return copy.listProblems((file) => namedFiles.has(file));
}

class AssetCopy {
  readonly #run: CopyRun;
  readonly #getLinks: () => SiteLinks;
  readonly #styles: ReadonlySet<string>;
  readonly #unreadable: Problem[] = [];
  readonly #problemsByFile = new Map<string, RewrittenText["problems"]>();
  #namedFiles: string[] = [];

  constructor(run: CopyRun, getLinks: () => SiteLinks) {
    this.#run = run;
    this.#getLinks = getLinks;
    this.#styles = new Set(run.source.site.styles);
  }

  async add(paths: readonly string[]): Promise<void> {
    const { settings, source, bundle } = this.#run;
    const { root } = source.site;
    await mapBounded(paths, concurrentCopies, async (path) => {
      settings.signal?.throwIfAborted();
      if (bundle.isTaken(path)) return;
      try {
        const changedText = hasOwnAddresses(path) ? this.#rewrite(root, path) : undefined;
        if (changedText === undefined) await bundle.copyAsset(root, path);
        else bundle.place({ path, content: changedText }, sha256(changedText));
      } catch (error) {
        // A full disk is a problem of the machine, not of the site.
        if (isDiskFull(error)) throw error;
        const reason = describeSystemRefusal(error);
        const errorMessage = error instanceof Error ? error.message : String(error);
        const message =
          reason === undefined ? errorMessage : `This file cannot be read: ${reason}.`;
        this.#unreadable.push({ severity: "error", code: "asset_unreadable", message, file: path });
      }
    });
  }

  /** Returns the new text of a file, or undefined if it does not change. */
  #rewrite(root: string, path: string): string | undefined {
    const file = resolveRealPathSync(root, path);
    if (statSync(file).size > limits.pageBytes) return undefined;
    const text = readFileSync(file, "utf8");
    const rewritten = rewriteOwnText(path, text, this.#getLinks, this.#run.source.site);
    this.#namedFiles.push(...rewritten.files);
    this.#problemsByFile.set(path, rewritten.problems);
    return rewritten.text === text ? undefined : rewritten.text;
  }

  /** Returns the files to which files copied since the last call refer. */
  takeNamedFiles(): readonly string[] {
    const files = this.#namedFiles;
    this.#namedFiles = [];
    return files;
  }

  get hasProblems(): boolean {
    return this.#problemsByFile.values().some(({ length }) => length > 0);
  }

  /** Returns the problems of files in use and of the style sheets of all pages. */
  listProblems(isNamed: (file: string) => boolean): readonly Problem[] {
    const used = [...this.#problemsByFile].filter(
      ([file]) => this.#styles.has(file) || isNamed(file),
    );
    return [...this.#unreadable, ...used.flatMap(([, problems]) => problems)];
  }
}

function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === "ENOSPC" || code === "EDQUOT" || code === "EROFS";
}

/** Returns the files of the site to which pages refer. */
function listNamedFiles(pages: readonly ReferringPage[], links: SiteLinks): Set<string> {
  const namedFiles = new Set<string>();
  for (const { page, rendered } of pages) {
    for (const { kind, target, file } of rendered.references) {
      const resolve = kind === "link" ? resolveLink : resolveMedia;
      const resolution = resolve(target, { page: page.path, file }, links);
      if (resolution.kind === "file") namedFiles.add(resolution.path);
    }
  }
  return namedFiles;
}

/** A text file of the site, with addresses that are valid in the bundle. */
interface RewrittenText {
  /** The same string as the original text if no address had to change. */
  readonly text: string;
  /** The files of the site to which the text refers. */
  readonly files: readonly string[];
  /** A problem for each reference to a file or page that the site does not have. */
  readonly problems: readonly Problem[];
}

interface FoundAddress {
  readonly target: string;
  readonly kind: "media" | "font" | "link" | "scope";
  readonly start: number;
  /** Returns the edit that replaces the address. */
  readonly edit: (address: string) => TextEdit;
}

/** The fields of a site that explain why a file in its folder is not part of the site. */
type SiteFolder = Pick<Site, "root" | "configFile" | "problems">;

type FindAddresses = (text: string, file: string) => readonly FoundAddress[];

/** Maximum number of missing files reported for one file. */
const maxReportedFiles = 20;

const finders: readonly (readonly [name: RegExp, find: FindAddresses])[] = [
  [/\.css$/i, findInStyles],
  [/\.svg$/i, findInMarkup],
  [/(?:^|\/)browserconfig\.xml$/i, findInMarkup],
  [/\.webmanifest$|(?:^|\/)manifest\.json$/i, findInManifest],
];

/** Reports whether a file of the site is of a kind whose addresses `rewriteOwnText` rewrites. */
export function hasOwnAddresses(file: string): boolean {
  return finders.some(([name]) => name.test(file));
}

/**
 * Rewrites the addresses in a style sheet, an SVG image or a web app manifest. Addresses that begin at the site's root
 * become relative to the file, so that they are valid from `file://` and below any path, like the addresses in pages.
 * An address that browsers resolve to the same file anyway is not changed.
 */
export function rewriteOwnText(
  file: string,
  text: string,
  /** Called only if the text contains addresses: the larger the site, the longer it takes to create the links. */
  getLinks: () => SiteLinks,
  site: SiteFolder,
): RewrittenText {
  const find = finders.find(([name]) => name.test(file))?.[1];
  const files = new Set<string>();
  const problems: Problem[] = [];
  const edits: TextEdit[] = [];
  let lines: LineIndex | undefined;
  const origin = { page: file, file };
  for (const found of find?.(text, file) ?? []) {
    const { kind, target, start } = found;
    // An empty address or a fragment alone refers to the file itself.
    if (/^\s*(?:$|[#?])/.test(target)) continue;
    const links = getLinks();
    const resolve = kind === "media" || kind === "font" ? resolveMedia : resolveLink;
    const resolution = resolve(target, origin, links);
    if (resolution.kind === "file") files.add(resolution.path);
    const address = kind === "scope" ? toScope(target, file) : toAddress(resolution, file, links);
    if (address === undefined) {
      if (resolution.kind !== "unknown" || problems.length >= maxReportedFiles) continue;
      lines ??= new LineIndex(text);
      const problem = describeMissing(found, file, { site, path: resolution.path });
      problems.push({ ...problem, ...lines.locationAt(file, start) });
    } else if (!isSameAddress(target, address, file)) {
      edits.push(found.edit(address));
    }
  }
  return { text: applyEdits(text, edits), files: [...files], problems };
}

/** Returns the address relative to the file, or undefined if the address does not change. */
function toAddress(resolution: Resolution, file: string, links: SiteLinks): string | undefined {
  if (resolution.kind === "external") return resolution.url;
  if (resolution.kind !== "file" && resolution.kind !== "page") return undefined;
  const address =
    resolution.kind === "page"
      ? getRelativePageAddress(links, file, links.fileOf(resolution.path))
      : getRelativeAddress(file, resolution.path);
  return address + resolution.suffix;
}

/** Returns the folder to which a manifest limits the app, relative to the manifest. */
function toScope(target: string, file: string): string | undefined {
  if (!/^\/(?!\/)/.test(target)) return undefined;
  return getRelativeAddress(file, target.slice(1)) || "./";
}

/** Reports whether browsers resolve both addresses to the same file, in the bundle's root and below any path. */
function isSameAddress(written: string, address: string, file: string): boolean {
  if (/^\s*[/\\]/.test(written)) return false;
  const base = `http://bundle.invalid/${file}`;
  return URL.parse(written, base)?.href === URL.parse(address, base)?.href;
}

function describeMissing(
  { kind, target }: FoundAddress,
  file: string,
  { site, path }: { readonly site: SiteFolder; readonly path: string },
): Pick<Problem, "severity" | "code" | "message"> {
  const shownTarget = JSON.stringify(target.slice(0, 200).toWellFormed());
  if (kind === "link" || kind === "scope") {
    const reason = explainExclusion(site, path);
    const why = reason === undefined ? "" : `: ${reason}`;
    const message = `The link ${shownTarget} does not lead to a page or file of this site${why}.`;
    return { severity: "warning", code: "link_broken", message };
  }
  // Browsers try the formats of a font in turn, and do not load the files of an SVG image in an `img` element.
  const severity = kind === "media" && file.endsWith(".css") ? "error" : "warning";
  const message = `The file ${shownTarget} ${describeMissingFile(site, path)}.`;
  return { severity, code: "media_missing", message };
}

function findInStyles(css: string): readonly FoundAddress[] {
  return findCssAddresses(css).map((address) => ({
    target: address.target,
    kind: address.kind === "font" ? "font" : "media",
    start: address.start,
    edit: (target) => setCssAddress(address, target),
  }));
}

/** Matches a comment, a CDATA section, a declaration or a tag, whose attributes may contain `>`. */
const markup =
  /<!--[^]*?(?:-->|$)|<!\[CDATA\[[^]*?(?:\]\]>|$)|<([/!?]?)([^\s<>"'/=]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>?/gu;
const attribute = /(?<![^\s"'=<>/])([^\s"'=<>/]{1,64})\s{0,64}=\s{0,64}(?:"([^"]*)"|'([^']*)')/gu;
/** Matches markup that may contain addresses; most SVG images do not. */
const addressInMarkup =
  /(?:href|src|data|poster)\s*=\s*["'](?!#|data:)|url\(\s*(?:["']|&quot;)?(?![#"'])|@import/i;

/** Finds the addresses in XML such as SVG: in attributes, style sheets and references to style sheets. */
function findInMarkup(text: string): readonly FoundAddress[] {
  if (!addressInMarkup.test(text)) return [];
  const found: FoundAddress[] = [];
  for (const { 1: sign, 2: name = "", 3: attributes = "", 0: tag, index } of text.matchAll(
    markup,
  )) {
    if (sign === "/" || sign === "!" || sign === undefined) continue;
    const isLink = name === "a";
    const start = index + 1 + sign.length + name.length;
    for (const one of attributes.matchAll(attribute)) {
      found.push(...readAttribute(one, start + one.index, isLink));
    }
    if (/(?:^|:)style$/.test(name) && !attributes.endsWith("/")) {
      const from = index + tag.length;
      const end = text.indexOf("</", from);
      const css = text.slice(from, end === -1 ? undefined : end);
      found.push(...shiftAddresses(findInStyles(css), from, encodeMarkup));
    }
  }
  return found;
}

function readAttribute(
  { 0: whole, 1: name = "", 2: double, 3: single = "" }: RegExpExecArray,
  at: number,
  isLink: boolean,
): readonly FoundAddress[] {
  const rawValue = double ?? single;
  const start = at + whole.length - rawValue.length - 1;
  const end = start + rawValue.length;
  const value = decodeEntities(rawValue);
  if (/^(?:xlink:)?href$|^(?:src|data|poster)$/.test(name)) {
    const edit = (address: string) => ({ start, end, text: encodeEntities(address) });
    return [{ target: value, kind: isLink ? "link" : "media", start, edit }];
  }
  // Positions in a value with entities are unknown. Styles with entities contain quoted font names rather than files.
  return rawValue === value && /url\(/i.test(value)
    ? shiftAddresses(findInStyles(value), start, encodeEntities)
    : [];
}

/** Moves addresses found in part of a text to their positions in the text. Replacements are encoded with `encode`. */
function shiftAddresses(
  addresses: readonly FoundAddress[],
  by: number,
  encode: (text: string) => string,
): readonly FoundAddress[] {
  return addresses.map(({ start, edit, ...one }) => ({
    ...one,
    start: start + by,
    edit(address) {
      const { start: from, end, text } = edit(address);
      return { start: from + by, end: end + by, text: encode(text) };
    },
  }));
}

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(\w+|#\d{1,7}|#x[\da-f]{1,6});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return entities.get(name) ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}

/** Percent-encodes `&` and `<` for a style element. Entities would not be decoded if it is a CDATA section. */
function encodeMarkup(text: string): string {
  return text.replaceAll(/[&<]/g, encodeURIComponent);
}

function encodeEntities(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** Members of a web app manifest whose values are addresses. */
const manifestKinds: ReadonlyMap<string | undefined, FoundAddress["kind"]> = new Map([
  ["src", "media"],
  ["url", "link"],
  ["start_url", "link"],
  ["action", "link"],
  ["scope", "scope"],
] as const);

function findInManifest(text: string, file: string): readonly FoundAddress[] {
  const root = tryParseJson(file, text);
  if (root === undefined) return [];
  return [...walkJson(root)].flatMap(({ key, node }) => readMember(key, node));
}

function readMember(key: string | undefined, node: JsonNode): readonly FoundAddress[] {
  const kind = manifestKinds.get(key);
  if (kind === undefined || !isJsonString(node)) return [];
  return [
    { target: node.value, kind, start: node.start, edit: (address) => setString(node, address) },
  ];
}
