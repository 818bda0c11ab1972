/** Whose folders hold pages of that language. Other names of two letters are names of something else: `ts`, `os`. */
const languages: ReadonlySet<string> = new Set(
  "ar bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lt lv mk ml mn mr ms my nb ne nl nn no pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi zh cn jp kr".split(
    " ",
  ),
);

/** The language whose folder a path lies in: one of the first two, like `es`, `pt-BR` or `docs/es-419`. */
export function languageOf(path: string): string | undefined {
  const folders = path.split("/").slice(0, -1).slice(0, 2);
  return folders.find(
    (folder) =>
      /^[a-z]{2}(?:-(?:[a-z]{2,4}|\d{3}))?$/i.test(folder) &&
      languages.has(folder.slice(0, 2).toLowerCase()),
  );
}

/** Whether a page's folders name no language but English. */
export function isEnglish(path: string): boolean {
  return /^en(?:-|$)/i.test(languageOf(path) ?? "en");
}

/** The version whose folder a path lies in: `v2`, `1.0`, `2025-06-18`, `latest`. */
function versionOf(path: string): string | undefined {
  const folders = path.split("/").slice(0, -1);
  return folders.find((part) => /^(?:v?\d+(?:[.-](?:\d+|x))*|latest|draft|next)$/.test(part));
}

/** A path's language and version: the same text for two paths of both. */
export function editionOf(path: string): string {
  return `${languageOf(path)} ${versionOf(path)}`;
}

export function sameEdition(a: string, b: string): boolean {
  return editionOf(a) === editionOf(b);
}

/** A path without the folders of its language and version: the same for the same page of each. */
export function withoutEdition(path: string): string {
  const parts = path.split("/");
  const last = parts.length - 1;
  return parts.filter((part, at) => at === last || !isEdition(part)).join("/");
}

/** Whether a folder's name is that of a language or version. */
export function isEdition(folder: string): boolean {
  return !sameEdition(`${folder}/x`, "x");
}
