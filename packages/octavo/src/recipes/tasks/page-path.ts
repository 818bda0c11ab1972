import { getBaseName, getParentFolder } from "@octavo/site/core";
import { getRelativePath } from "@octavo/site/text";

/** Resolves a link's path against its page's folder if the path is relative. */
export function joinPath(folder: string, path: string): string {
  const parts = folder === "" ? [] : folder.split("/");
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

/**
 * Normalizes an address to a page's address: without leading and trailing slashes, an extension that a tool may add, or
 * `/index`.
 */
export function normalizeAddress(path: string): string {
  return joinPath("", path)
    .replace(/(?:\.(?:mdx?|markdown|html?|php|aspx|rst|adoc|txt))+$/i, "")
    .replace(/(?:^|(?<=.)\/)(?:index|readme)$/i, "");
}

/** Returns a path in lower case and without word separators, for comparison. */
export function foldPathLetters(path: string): string {
  return normalizeAddress(path)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}/]+/gu, "");
}

/**
 * Reports whether addresses often begin with the segment, because sites are served from such a folder or because it
 * represents the newest version.
 */
export function isServingFolder(part: string): boolean {
  return /^(?:docs?|documentation|latest|stable|current|main|www|site|public|pages)$/i.test(part);
}

/** Returns the forms in which a page's path may be known: the address itself, normalized, and without prefixes. */
export function listAddressForms(address: string): string[] {
  const usual = address.toLowerCase().replaceAll(/[_\s]+/g, "-");
  const parts = usual.split("/");
  const start = parts.findIndex((part) => !isServingFolder(part));
  const short = parts.slice(Math.max(0, start)).join("/");
  return [...new Set([address, usual, short])];
}

/** Formats a page's path in the link's style: relative or from the root, with or without extension and `/index`. */
export function formatLinkPath(page: string, path: string, file: string): string {
  const keepsIndex = getBaseName(path).startsWith("index");
  const plain = keepsIndex ? page : page.replace(/(?<=.)\/index$/, "");
  const extension = /\.mdx?$/i.exec(path)?.[0].toLowerCase() ?? "";
  const isPlain = path !== "" && !path.startsWith("/") && !path.startsWith(".");
  const folder = getParentFolder(file) === "" ? "" : `${getParentFolder(file)}/`;
  if (isPlain && plain.startsWith(folder)) return `${plain.slice(folder.length)}${extension}`;
  if (!path.startsWith(".")) return `/${plain}${extension}`;
  const way = getRelativePath(getParentFolder(file), plain);
  return `${way.startsWith(".") ? "" : "./"}${way}${extension}`;
}

/** Decodes percent escapes. Returns the text unchanged if they are invalid. */
export function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type PageKind = "reference" | "example" | "changelog" | "guide";

const kinds: readonly (readonly [PageKind, RegExp])[] = [
  ["changelog", /^(?:changelogs?|release-notes?|releases?|updates|blog|news|whats-new)$/],
  ["reference", /^(?:api|apis|.*-?reference|ref|sdks?|.*-sdks?|endpoints?|schemas?|operations?)$/],
  ["example", /^(?:examples?|samples?|cookbooks?|recipes?|templates?|showcase|gallery|demos?)$/],
  [
    "guide",
    /^(?:guides?|how-?tos?|tutorials?|learn|walkthroughs?|quickstarts?|get(?:ting)?-started)$/,
  ],
];

/** Returns the kind of page that a path's folders indicate; undefined if they do not indicate any kind. */
export function findPageKind(path: string, isOperation: boolean): PageKind | undefined {
  if (isOperation) return "reference";
  const folders = path.toLowerCase().split("/").slice(0, -1);
  for (const folder of folders) {
    const kind = kinds.find(([, form]) => form.test(folder))?.[0];
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** Reports whether the last part of a page's address is `name`, in any case and with any word separators. */
export function hasPageName(page: string, name: string): boolean {
  return foldPathLetters(getBaseName(normalizeAddress(page))) === foldPathLetters(name);
}

/** Returns the score that counts against a page if its kind differs from the wanted kind. */
export function computeKindPenalty(
  wanted: PageKind | undefined,
  found: PageKind | undefined,
): number {
  if (wanted === found) return 0;
  if (wanted !== undefined && found !== undefined) return 20;
  // Most pages whose folders do not indicate a kind are guides.
  return [wanted, found].includes("guide") ? 0 : 2;
}

/**
 * Languages whose folders contain translated pages. Other two-letter names have different meanings, such as `ts` and
 * `os`.
 */
const languages: ReadonlySet<string> = new Set(
  "ar bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lt lv mk ml mn mr ms my nb ne nl nn no pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi zh cn jp kr".split(
    " ",
  ),
);

/** Returns the code of a language, given the code itself or the language's English name, such as `fr` or `French`. */
export function findLanguageCode(name: string): string | undefined {
  const wanted = name.toLowerCase();
  const names = new Intl.DisplayNames("en", { type: "language" });
  const isMeant = (code: string) => [code, names.of(code)?.toLowerCase()].includes(wanted);
  return [...languages].find(isMeant);
}

/**
 * Returns the language of a path's folder. It is one of the first two segments, such as `es`, `pt-BR` or `docs/es-419`.
 */
export function findLanguage(path: string): string | undefined {
  const folders = path.split("/").slice(0, -1).slice(0, 2);
  return folders.find(
    (folder) =>
      /^[a-z]{2}(?:-(?:[a-z]{2,4}|\d{3}))?$/i.test(folder) &&
      languages.has(folder.slice(0, 2).toLowerCase()),
  );
}

/** Reports whether a page's folders name English or no language. */
export function isEnglish(path: string): boolean {
  return /^en(?:-|$)/i.test(findLanguage(path) ?? "en");
}

/** Returns the version of a path's folder, such as `v2`, `1.0`, `2025-06-18` or `latest`. */
function findVersion(path: string): string | undefined {
  const folders = path.split("/").slice(0, -1);
  return folders.find((part) => /^(?:v?\d+(?:[.-](?:\d+|x))*|latest|draft|next)$/.test(part));
}

/** Returns a key for a path's language and version. Paths that share both have the same key. */
export function getEdition(path: string): string {
  return `${findLanguage(path)} ${findVersion(path)}`;
}

export function isSameEdition(a: string, b: string): boolean {
  return getEdition(a) === getEdition(b);
}

/** Removes the language and version folders from a path, so that all editions of a page have the same path. */
export function stripEdition(path: string): string {
  const parts = path.split("/");
  const last = parts.length - 1;
  return parts.filter((part, at) => at === last || !isEdition(part)).join("/");
}

/** Reports whether a folder's name is a language or a version. */
export function isEdition(folder: string): boolean {
  return !isSameEdition(`${folder}/x`, "x");
}
