import { relativePath } from "@octavo/site/text";
import { parentFolder } from "../content.ts";

export interface Spelling {
  /** How the address was written, without query and fragment. */
  readonly authored: string;
  /** The page (`guides/start`) or file that it shall lead to. */
  readonly to: string;
  readonly isPage: boolean;
  /** The page that shows the link; undefined where several do, as with a snippet. */
  readonly page: string | undefined;
}

/**
 * Ways to write an address that leads to `to`, the one most like the authored first: absolute or
 * relative, with or without `./`, extension and a slash at the end, as it was.
 */
export function spellings({ authored, to, isPage, page }: Spelling): readonly string[] {
  const plain = authored.replace(/\/$/, "");
  const extension = isPage ? (/\.(?:mdx?|html?)$/.exec(plain)?.[0] ?? "") : "";
  const slash = authored.endsWith("/") && authored !== "/" ? "/" : "";
  const names = isPage ? namesOf(to, plain, extension) : [to];
  const written = names.flatMap((name) => {
    const absolute = `/${name}`;
    if (authored.startsWith("/") || page === undefined) return [absolute];
    const path = relativePath(parentFolder(page), name);
    if (authored.startsWith(".")) return [path.startsWith(".") ? path : `./${path}`, absolute];
    return plain.includes("/") ? [name, path, absolute] : [path, name, absolute];
  });
  return written.map((address) => encodeAddress(address) + slash);
}

/** An index page is named by its folder where the author did so before. */
function namesOf(to: string, authored: string, extension: string): readonly string[] {
  const isNamed = extension !== "" || /(?:^|\/)index$/.test(authored);
  const folder = /^(.+)\/index$/.exec(to)?.[1];
  return folder !== undefined && !isNamed ? [folder, to] : [to + extension];
}

/** Only what would end an address in Markdown or in an attribute. */
function encodeAddress(path: string): string {
  return path.replaceAll(/[\s()<>"'`%#?{}]/g, (sign) =>
    /[()']/.test(sign)
      ? `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
      : encodeURIComponent(sign),
  );
}
