/**
 * Languages whose folders contain translated pages. Other two-letter names have different meanings, such as `ts` and
 * `os`.
 */
const languages: ReadonlySet<string> = new Set(
  "ar bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko lt lv mk ml mn mr ms my nb ne nl nn no pa pl pt ro ru si sk sl sq sr sv sw ta te th tl tr uk ur uz vi zh cn jp kr".split(
    " ",
  ),
);

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

/** Reports whether a page's folders do not name any language other than English. */
export function isEnglish(path: string): boolean {
  return /^en(?:-|$)/i.test(findLanguage(path) ?? "en");
}

/** Returns the version of a path's folder, such as `v2`, `1.0`, `2025-06-18` or `latest`. */
function findVersion(path: string): string | undefined {
  const folders = path.split("/").slice(0, -1);
  return folders.find((part) => /^(?:v?\d+(?:[.-](?:\d+|x))*|latest|draft|next)$/.test(part));
}

/** Returns a key of a path's language and version. The key is equal for paths that share both. */
export function getEdition(path: string): string {
  return `${findLanguage(path)} ${findVersion(path)}`;
}

export function isSameEdition(a: string, b: string): boolean {
  return getEdition(a) === getEdition(b);
}

/** Removes the language and version folders from a path, so that the path is equal for all editions of a page. */
export function stripEdition(path: string): string {
  const parts = path.split("/");
  const last = parts.length - 1;
  return parts.filter((part, at) => at === last || !isEdition(part)).join("/");
}

/** Reports whether a folder's name is a language or a version. */
export function isEdition(folder: string): boolean {
  return !isSameEdition(`${folder}/x`, "x");
}
