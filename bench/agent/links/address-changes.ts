import { readFile, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { createLinkedText } from "../../../packages/octavo/src/recipes/testing.ts";
import { applyEdits, splitAddress } from "../../../packages/site/src/text/index.ts";
import type { TextEdit } from "../../../packages/site/src/text/index.ts";
import type { BreakKind, EditedSite } from "./edited-site.ts";
import { editionOf } from "./page-changes.ts";
import type { Random } from "./random.ts";
import type { AuthoredLink, Place } from "./site-links.ts";

/** A link with a mistyped address, which is unique in the site. */
export interface WrongAddress {
  readonly kind: BreakKind;
  readonly file: string;
  readonly target: string;
  readonly place: Place;
}

type Spoil = (target: string, random: Random, site: EditedSite) => string | undefined;

const spoils: readonly (readonly [BreakKind, Spoil])[] = [
  ["prefix added", addPrefix],
  ["prefix dropped", dropPrefix],
  ["typing error", mistypePath],
  ["typing error", mistypePath],
  ["extension", changeExtension],
  ["case", changeCase],
  ["anchor misspelt", mistypeAnchor],
  ["wrong folder", exchangeFolder],
  ["wrong level", changeLevel],
];

/** Writes some addresses wrong, in files of the site as it was; `count` of each kind where there are so many. */
export async function spoilAddresses(
  site: EditedSite,
  random: Random,
  count: number,
): Promise<readonly WrongAddress[]> {
  const good = site.before.links.flatMap((link) => {
    const place = site.before.resolve(link.target, link);
    return place === undefined || link.target.startsWith("#") ? [] : [{ link, place }];
  });
  const wrong: WrongAddress[] = [];
  const edits = new Map<string, TextEdit[]>();
  const taken = new Set<string>();
  const texts = new Map<string, string>();
  for (const [kind, spoil] of spoils) {
    let done = 0;
    for (const { link, place } of random.some(good, count * 12)) {
      if (done === count) break;
      const target = spoil(link.target, random, site);
      if (target === undefined || target === link.target) continue;
      const isBroken = site.before.resolve(target, link) === undefined;
      if (
        !isBroken ||
        taken.has(`${link.file}\n${target}`) ||
        taken.has(`${link.file}\n${link.line}`)
      )
        continue;
      const text = texts.get(link.file) ?? (await readFile(join(site.folder, link.file), "utf8"));
      texts.set(link.file, text);
      const edit = editOf(link, text, target);
      if (edit === undefined) continue;
      taken.add(`${link.file}\n${target}`).add(`${link.file}\n${link.line}`);
      edits.set(link.file, [...(edits.get(link.file) ?? []), edit]);
      wrong.push({ kind, file: link.file, target, place });
      done += 1;
    }
  }
  for (const [file, own] of edits) {
    await writeFile(join(site.folder, file), applyEdits(texts.get(file) ?? "", own));
  }
  return wrong;
}

function editOf(link: AuthoredLink, text: string, target: string): TextEdit | undefined {
  const found = createLinkedText(text).find(link);
  if (found === undefined || found.form === "reference") return undefined;
  return { start: found.address, end: found.address + link.target.length, text: target };
}

function addPrefix(target: string, random: Random): string | undefined {
  if (!target.startsWith("/")) return undefined;
  return random.pick(["/docs", "/documentation", "/en", "/latest", "/docs/latest"]) + target;
}

function dropPrefix(target: string): string | undefined {
  const { path, suffix } = splitAddress(target);
  const parts = path.split("/");
  if (!path.startsWith("/") || parts.length < 3) return undefined;
  return `/${parts.slice(2).join("/")}${suffix}`;
}

/** Another folder of the same language and version, where the author took the page to be. */
function exchangeFolder(target: string, random: Random, site: EditedSite): string | undefined {
  const { path, suffix } = splitAddress(target);
  const parts = path.split("/");
  if (!path.startsWith("/") || parts.length < 3) return undefined;
  const folders = site.before.site.pages.map((page) => page.path.split("/").slice(0, -1));
  const edition = editionOf(posix.dirname(path.slice(1)));
  const alike = folders.filter(
    (folder) => folder.length === parts.length - 2 && editionOf(folder.join("/")) === edition,
  );
  if (alike.length === 0) return undefined;
  return `/${[...random.pick(alike), parts.at(-1)].join("/")}${suffix}`;
}

/** `../x` for `./x`, and the other way round. */
function changeLevel(target: string): string | undefined {
  if (target.startsWith("../")) return target.slice(3).replace(/^(?!\.)/, "./");
  return target.startsWith("./") ? `.${target}` : undefined;
}

function mistypePath(target: string, random: Random): string | undefined {
  const { path, suffix } = splitAddress(target);
  const parts = path.split("/");
  const long = parts.flatMap((part, index) => (/^[a-z-]{5,}$/.test(part) ? [index] : []));
  if (long.length === 0) return undefined;
  const at = random.pick(long);
  return parts.with(at, mistype(parts[at] ?? "", random)).join("/") + suffix;
}

function mistypeAnchor(target: string, random: Random): string | undefined {
  const { path, suffix } = splitAddress(target);
  if (!/^#[a-z-]{6,}$/.test(suffix)) return undefined;
  const anchor = suffix.slice(1);
  const ways = [
    () => mistype(anchor, random),
    () =>
      anchor
        .split("-")
        .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
        .join("-"),
    () => anchor.replaceAll("-", "_"),
    () => anchor.replaceAll("-", ""),
  ];
  return `${path}#${random.pick(ways)()}`;
}

/** Letters turned round, left out, doubled or hit beside. */
function mistype(word: string, random: Random): string {
  const at = 1 + Math.floor(random.next() * (word.length - 2));
  const [before, one, two] = [word.slice(0, at), word.charAt(at), word.charAt(at + 1)];
  const rest = word.slice(at + 2);
  return random.pick([
    before + two + one + rest,
    before + two + rest,
    before + one + one + two + rest,
    before + random.pick(["a", "e", "i", "n", "r", "s", "t"]) + two + rest,
  ]);
}

function changeExtension(target: string, random: Random): string | undefined {
  const { path, suffix } = splitAddress(target);
  if (path === "" || path.endsWith("/") || /\.[a-z]+$/.test(path)) return undefined;
  return (
    path +
    random.pick([".htm", ".markdown", "/index.htm", ".mdx.md", "/overview.html"].slice(0, 4)) +
    suffix
  );
}

function changeCase(target: string, random: Random): string | undefined {
  const { path, suffix } = splitAddress(target);
  const ways = [
    () => path.replaceAll(/(?<=\/)[a-z]/g, (letter) => letter.toUpperCase()),
    () => path.replaceAll(/(?<=[/-])[a-z]/g, (letter) => letter.toUpperCase()),
    () => path.replaceAll("-", "_"),
    () => path.toUpperCase(),
  ];
  return random.pick(ways)() + suffix;
}
