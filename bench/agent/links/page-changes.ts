import { posix } from "node:path";
import {
  applyEdits,
  getFieldText,
  findField,
  setFrontmatterField,
  createSlug,
} from "../../../packages/site/src/text/index.ts";
import type { BreakKind, EditedSite } from "./edited-site.ts";
import type { Random } from "./random.ts";
import { renameSlug, reword } from "./reword.ts";

/** Something that authors do to pages in one commit; each takes pages to which nothing happened yet. */
export type SiteChange = (site: EditedSite, random: Random) => Promise<void>;

const folderNames = [
  "handbook",
  "learn",
  "develop",
  "operate",
  "platform",
  "workspaces",
  "core",
  "topics",
];

/** A path of parts, of which `.` is none. */
function joined(...parts: string[]): string {
  return parts.filter((part) => part !== ".").join("/");
}

/** Pages that links lead to, with text of their own, and that can be moved without their imports being broken. */
async function linkedPages(site: EditedSite): Promise<string[]> {
  const { before } = site;
  const linked = new Set<string>();
  for (const link of before.links) {
    const place = before.resolve(link.target, link);
    if (place !== undefined && place.page !== link.page) linked.add(place.page);
  }
  const own = before.site.pages.filter(({ path, isGenerated }) => !isGenerated && linked.has(path));
  const movable: string[] = [];
  for (const { path } of own) {
    if (path === before.site.pages[0]?.path || !path.includes("/")) continue;
    if (!site.isUntouched(path)) continue;
    const text = await site.readPage(path);
    if (!/from\s+["']\.|^openapi\s*:|src=["']\.\.?\//m.test(text)) movable.push(path);
  }
  return movable;
}

export const moveOne: SiteChange = async (site, random) => {
  const pages = await linkedPages(site);
  if (pages.length === 0) return;
  const page = random.pick(pages);
  const to = `${random.pick(foldersBeside(page, site, random))}/${posix.basename(page)}`;
  if (isTaken(to, site)) return;
  await revise(site, page, random);
  await site.movePage(page, to, "page moved");
};

/** The language and version that a folder's path names. */
export function editionOf(path: string): string {
  return `${path}/`
    .split("/")
    .filter((part) => /^(?:[a-z]{2}(?:-[A-Z]{2})?|v?\d[\d.-]*|draft|latest)$/.test(part))
    .join("/");
}

/** Folders a page may go to: mostly of its own part of the site, in its own language and version. */
function foldersBeside(page: string, site: EditedSite, random: Random): string[] {
  const own = posix.dirname(page);
  const [first = ""] = page.split("/");
  const folders = [...new Set(site.before.site.pages.map(({ path }) => posix.dirname(path)))];
  const alike = folders.filter(
    (folder) => folder !== own && folder !== "." && editionOf(folder) === editionOf(own),
  );
  const near = alike.filter((folder) => folder.split("/")[0] === first);
  if (random.next() < 0.6 && near.length > 0) return near;
  if (random.next() < 0.6 && alike.length > 0) return alike;
  return [`${own}/${random.pick(folderNames)}`];
}

/** A folder whose pages links name, and those of them that can be moved. */
interface LinkedFolder {
  readonly folder: string;
  readonly pages: readonly string[];
}

/** Folders of some pages to which nothing happened; what a version is called does not change by the way. */
async function linkedFolders(site: EditedSite): Promise<LinkedFolder[]> {
  const linked = new Set(await linkedPages(site));
  const generated = new Set(
    site.before.site.pages.flatMap(({ path, isGenerated }) => (isGenerated ? [path] : [])),
  );
  const all = Map.groupBy(site.before.site.pages, ({ path }) => posix.dirname(path));
  return [...all].flatMap(([folder, inside]) => {
    const isWhole =
      folder !== "." &&
      !/\d|^(?:draft|latest)$/.test(posix.basename(folder)) &&
      inside.length >= 3 &&
      inside.length <= 40 &&
      inside.every(({ path }) => site.isUntouched(path));
    const own = inside
      .map(({ path }) => path)
      .filter((path) => linked.has(path) && !generated.has(path));
    return isWhole && own.length >= 2 ? [{ folder, pages: own }] : [];
  });
}

/** Moves pages in one commit, some of them with changes of their text. */
async function moveAll(
  site: EditedSite,
  random: Random,
  moves: readonly { readonly page: string; readonly to: string; readonly kind: BreakKind }[],
): Promise<void> {
  for (const { page, to, kind } of moves) {
    if (isTaken(to, site)) continue;
    if (random.next() < 0.3) await revise(site, page, random);
    await site.movePage(page, to, kind);
  }
}

export const renameFolder: SiteChange = async (site, random) => {
  const folders = await linkedFolders(site);
  if (folders.length === 0) return;
  const { folder, pages } = random.pick(folders);
  const [parent, name] = [posix.dirname(folder), posix.basename(folder)];
  const to = random.pick([
    joined(parent, renameSlug(name, random)),
    joined(parent, random.pick(folderNames), name),
    joined(random.pick(folderNames), folder),
    joined(parent, random.pick(folderNames)),
  ]);
  const kind = "folder renamed";
  await moveAll(
    site,
    random,
    pages.map((page) => ({ page, to: `${to}/${posix.basename(page)}`, kind })),
  );
};

/** Half of a folder's pages to one new folder, half to another. */
export const splitFolder: SiteChange = async (site, random) => {
  const folders = await linkedFolders(site);
  if (folders.length === 0) return;
  const { folder, pages } = random.pick(folders);
  const parent = posix.dirname(folder);
  const [one = "", other = ""] = random.some(folderNames, 2);
  const moves = pages.map((page) => {
    const to = joined(parent, random.next() < 0.5 ? one : other, posix.basename(page));
    return { page, to, kind: "folder split" as const };
  });
  await moveAll(site, random, moves);
};

/** `guides/install/linux` becomes `guides/install-linux`. */
export const flattenFolder: SiteChange = async (site, random) => {
  const folders = await linkedFolders(site);
  if (folders.length === 0) return;
  const { folder, pages } = random.pick(folders);
  const moves = pages.map((page) => {
    const to = `${folder}-${posix.basename(page)}`;
    return { page, to, kind: "folder flattened" as const };
  });
  await moveAll(site, random, moves);
};

/** `set-up-tools` becomes `set_up_tools` or `setUpTools`. */
export const restyleNames: SiteChange = async (site, random) => {
  const folders = await linkedFolders(site);
  if (folders.length === 0) return;
  const { folder, pages } = random.pick(folders);
  const separated = random.next() < 0.5;
  const moves = pages
    .filter((page) => posix.basename(page).includes("-"))
    .map((page) => {
      const name = posix.basename(page);
      const next = separated
        ? name.replaceAll("-", "_")
        : name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      return { page, to: `${folder}/${next}`, kind: "names restyled" as const };
    });
  await moveAll(site, random, moves);
};

export const renameOne: SiteChange = async (site, random) => {
  const pages = (await linkedPages(site)).filter((page) => posix.basename(page) !== "index");
  if (pages.length === 0) return;
  const page = random.pick(pages);
  const name = renameSlug(posix.basename(page), random);
  const to = `${posix.dirname(page)}/${name}`;
  if (isTaken(to, site)) return;
  await revise(site, page, random);
  if (random.next() < 0.4) {
    const words = name.replaceAll("-", " ");
    const text = await site.readPage(page);
    const edit = setFrontmatterField(
      text,
      "title",
      words.slice(0, 1).toUpperCase() + words.slice(1),
    );
    await site.writePage(page, applyEdits(text, edit === undefined ? [] : [edit]));
  }
  await site.movePage(page, to, "page renamed");
};

export const removeOne: SiteChange = async (site, random) => {
  const pages = await linkedPages(site);
  if (pages.length > 0) await site.removePage(random.pick(pages));
};

export const mergeOne: SiteChange = async (site, random) => {
  const pages = await linkedPages(site);
  if (pages.length === 0) return;
  const page = random.pick(pages);
  const beside = site.before.site.pages
    .filter(({ path, isGenerated }) => !isGenerated && path !== page && site.isUntouched(path))
    .map(({ path }) => path)
    .filter((path) => posix.dirname(path) === posix.dirname(page));
  if (beside.length === 0) return;
  const into = random.pick(beside);
  const text = await site.readPage(page);
  const title = getFieldText(text, findField(text, "title")) || posix.basename(page);
  const body = text.replace(/^---\n.*?\n---\n/s, "").replaceAll(/^(?=#{1,5} )/gm, "#");
  await site.writePage(
    into,
    `${(await site.readPage(into)).trimEnd()}\n\n## ${title}\n\n${body.trim()}\n`,
  );
  site.touch(into);
  await site.removePage(page, { page: into, section: createSlug(title) });
};

interface Heading {
  readonly page: string;
  readonly anchor: string;
  readonly line: string;
  readonly words: string;
}

/** Lines that are headings of words alone. */
function plainHeadings(text: string): readonly string[] {
  return text.split("\n").filter((line) => /^#{2,4} [^{[<`]+$/.test(line));
}

/** Headings that links name, on pages to which nothing happened. */
async function linkedHeadings(site: EditedSite): Promise<Heading[]> {
  const { before } = site;
  const places = new Map<string, { page: string; anchor: string }>();
  for (const link of before.links) {
    const place = before.resolve(link.target, link);
    if (place !== undefined && place.anchor !== "")
      places.set(`${place.page}#${place.anchor}`, place);
  }
  const headings: Heading[] = [];
  const own = new Set(before.site.pages.flatMap((page) => (page.isGenerated ? [] : [page.path])));
  const plain = new Map<string, readonly string[]>();
  for (const { page, anchor } of places.values()) {
    if (!own.has(page) || !site.isUntouched(page)) continue;
    const lines = plain.get(page) ?? plainHeadings(await site.readPage(page));
    plain.set(page, lines);
    const named = lines.filter((line) => createSlug(line.replace(/^#+ /, "")) === anchor);
    const [line] = named;
    if (line === undefined || named.length > 1) continue;
    headings.push({ page, anchor, line, words: line.replace(/^#+ /, "") });
  }
  return headings;
}

export const rewordHeading: SiteChange = async (site, random) => {
  const headings = await linkedHeadings(site);
  if (headings.length === 0) return;
  const { page, anchor, line, words } = random.pick(headings);
  const next = reword(words, random);
  if (site.before.anchorsOf(page).includes(createSlug(next))) return;
  const text = await site.readPage(page);
  await site.writePage(
    page,
    text.replace(`\n${line}\n`, () => `\n${line.replace(words, () => next)}\n`),
  );
  site.touch(page);
  // An element around the heading may have the id, too, and keeps it.
  const isKept = text.includes(`id="${anchor}"`);
  const places = [createSlug(next), ...(isKept ? [anchor] : [])].map((id) => ({
    page,
    anchor: id,
  }));
  site.moveAnchor({ page, anchor }, places, "heading reworded");
};

export const moveSection: SiteChange = async (site, random) => {
  const headings = (await linkedHeadings(site)).filter(({ line }) => line.startsWith("## "));
  if (headings.length === 0) return;
  const { page, anchor, line } = random.pick(headings);
  const beside = site.before.site.pages
    .filter(({ path, isGenerated }) => !isGenerated && path !== page && site.isUntouched(path))
    .map(({ path }) => path)
    .filter((path) => posix.dirname(path) === posix.dirname(page));
  const free = beside.filter((path) => !site.before.anchorsOf(path).includes(anchor));
  if (free.length === 0) return;
  const into = random.pick(free);
  const text = await site.readPage(page);
  const start = text.indexOf(`\n${line}\n`);
  const rest = text.slice(start + line.length + 1);
  const end = rest.search(/\n##? /);
  const section = text.slice(start, end === -1 ? undefined : start + line.length + 1 + end);
  if (/^\s*(?:```|<)/m.test(section)) return;
  await site.writePage(page, text.replace(section, ""));
  await site.writePage(into, `${(await site.readPage(into)).trimEnd()}\n${section}\n`);
  site.touch(page);
  site.touch(into);
  site.moveAnchor({ page, anchor }, [{ page: into, anchor }], "section moved");
};

/** Whoever moves a page touches its text too. */
async function revise(site: EditedSite, page: string, random: Random): Promise<void> {
  const text = await site.readPage(page);
  const lines = text.split("\n");
  const plain = lines.filter((line) => /^[A-Z][^<>{}[\]|`]{40,}$/.test(line));
  const dropped = new Set(random.some(plain, Math.floor(plain.length * 0.2 * random.next())));
  const kept = lines.filter((line) => !dropped.has(line)).join("\n");
  const added = random.next() < 0.5 ? "\nThis page was revised for the current release.\n" : "";
  await site.writePage(page, kept + added);
}

function isTaken(path: string, site: EditedSite): boolean {
  const { pages } = site.before.site;
  return site.has(path) || pages.some((page) => [path, `${path}/index`].includes(page.path));
}
