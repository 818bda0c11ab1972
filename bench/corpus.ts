/**
 * The corpus on which generators are compared: pages of real documentation as CommonMark that every one
 * of them reads alike, and a larger one whose blocks of code all differ. The same folder gives the same
 * corpus, byte for byte.
 */
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, posix, relative, sep } from "node:path";
import { toPlainPage } from "./corpus/plain-page.ts";
import { renameCode } from "./corpus/rename-code.ts";

export interface CorpusPage {
  /** File without its ending, e.g. `guides/index`; lower case, as some generators make addresses of it. */
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  /** Links to other pages are `page:<name>`; see `writePages`. */
  readonly markdown: string;
}

export type Corpus = readonly CorpusPage[];

export interface PageFiles {
  /** The address by which the generator links to a page of this name. */
  readonly link: (name: string) => string;
  /** A file's name for a page's, where it is not the same. */
  readonly fileOf?: (name: string) => string;
  /** Content before a page's text, such as its title. */
  readonly before?: (page: CorpusPage) => string;
}

const linkStart = "](page:";
const links = /\]\(page:([^)\s]*)/g;

/** Makes the corpus of all Markdown below `folder`. */
export async function readCorpus(folder: string): Promise<Corpus> {
  const files = await markdownFiles(folder);
  const names = new Set(files.map(nameOf));
  const byAddress = new Map([...names].map((name) => [addressOf(name), name]));
  byAddress.set("", "index");
  const pages: CorpusPage[] = [];
  for (const file of files) {
    const name = nameOf(file);
    const source = await readFile(join(folder, file), "utf8");
    const resolveLink = (target: string) => resolve(target, name, byAddress);
    pages.push({ name, ...toPlainPage(source, titleOf(name), resolveLink) });
  }
  return names.has("index") ? pages : [homeOf(pages), ...pages];
}

/** The corpus and copies of it in folders of their own, below one home page. */
export function multiply(corpus: Corpus, copies: number): Corpus {
  const pages: CorpusPage[] = [];
  let blocks = 0;
  const nextEnding = () => `_${(blocks++).toString(36)}`;
  for (let copy = 0; copy < copies; copy += 1) {
    for (const page of corpus) {
      // The first copy is the corpus itself, with the repetitions that real pages have.
      const markdown = copy === 0 ? page.markdown : renameCode(page.markdown, nextEnding);
      pages.push({
        ...page,
        name: `copy-${copy}/${page.name}`,
        markdown: markdown.replaceAll(links, (whole, name: string) =>
          name === "index" ? whole : `${linkStart}copy-${copy}/${name}`,
        ),
      });
    }
  }
  return [homeOf(pages), ...pages];
}

/** The pages of the corpus in folders of their own, as often as `copies` says, without a home page above them. */
export function repeat(corpus: Corpus, copies: number): Corpus {
  const pages = corpus.filter(({ name }) => name !== "index");
  return Array.from({ length: copies }, (_, copy) =>
    pages.map((page) => ({
      ...page,
      name: `copy-${copy}/${page.name}`,
      markdown: page.markdown.replaceAll(links, (_, name: string) =>
        name === "index" ? linkStart : `${linkStart}copy-${copy}/${name}`,
      ),
    })),
  ).flat();
}

/** Writes the pages as files of Markdown with their title and description, and nothing else, in front. */
export async function writePages(corpus: Corpus, folder: string, files: PageFiles): Promise<void> {
  const { link, fileOf = (name) => name, before } = files;
  for (const page of corpus) {
    const file = join(folder, `${fileOf(page.name)}.md`);
    const { title, description } = page;
    // JSON is YAML.
    const fields = Object.entries({ title, description }).filter(
      ([, value]) => value !== undefined,
    );
    const head = fields.map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join("");
    const body = page.markdown.replaceAll(links, (_, name: string) => `](${link(name)}`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `---\n${head}---\n\n${before?.(page) ?? ""}${body}`);
  }
}

/** Where a page is found, without a slash at either end; empty for the home page. */
export function addressOf(name: string): string {
  return name === "index" ? "" : name.replace(/\/index$/, "");
}

/** The address as generators have it that give each page a folder. */
export function slashedAddressOf(name: string): string {
  const address = addressOf(name);
  return address === "" ? "/" : `/${address}/`;
}

/** Whether it is the first page of its folder. */
export function isIndex(name: string): boolean {
  return /(?:^|\/)index$/.test(name);
}

async function markdownFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.mdx?$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((file) => !/(?:^|\/)(?:\.|node_modules\/|snippets\/)/.test(file))
    .toSorted();
}

function nameOf(file: string): string {
  return file.replace(/\.mdx?$/, "").toLowerCase();
}

function titleOf(name: string): string {
  return basename(addressOf(name)).replaceAll("-", " ") || "Home";
}

/** Links to other sites stay; those to what is not a page are text, so that nobody pays for them or fails. */
function resolve(
  target: string,
  from: string,
  byAddress: ReadonlyMap<string, string>,
): string | undefined {
  // A generator that looks for dead links takes an address of this machine for one.
  if (/^https?:\/\/(?!localhost|127\.|0\.0\.0\.0|\[)[\w.-]+(?:[:/?#]|$)/.test(target))
    return target;
  if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(target)) return undefined;
  const path = target.replace(/[?#].*$/, "");
  if (path === "") return undefined;
  const full = posix.join("/", path.startsWith("/") ? "" : dirname(from), path).slice(1);
  const address = addressOf(
    full
      .replace(/\/$/, "")
      .replace(/\.mdx?$/, "")
      .toLowerCase(),
  );
  const name = byAddress.get(address);
  return name === undefined ? undefined : `page:${name}`;
}

/** A list of the folders' first pages. */
function homeOf(pages: Corpus): CorpusPage {
  const firsts = new Map<string, CorpusPage>();
  for (const page of pages) {
    const [section = ""] = page.name.split("/");
    if (!firsts.has(section)) firsts.set(section, page);
  }
  const items = [...firsts].map(
    ([section, { name }]) => `- [${section.replaceAll(/[^\w ]/g, " ")}](page:${name})\n`,
  );
  return { name: "index", title: "Home", description: undefined, markdown: items.join("") };
}
