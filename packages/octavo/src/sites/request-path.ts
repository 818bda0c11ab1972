/** The path of a request, decoded. */
export interface RequestPath {
  /** The path's non-empty segments; an empty list for the root. */
  readonly names: readonly string[];
  /** Whether the path ends with a slash. */
  readonly isFolder: boolean;
  /** Whether the path has empty segments, as in `//a`, which `names` omits. */
  readonly hasEmptyNames: boolean;
}

/** The target of a request (RFC 9112, 3.2). */
export interface RequestTarget {
  /** The host of a target that is an absolute URL; undefined for other targets. */
  readonly host: string | undefined;
  /** The decoded path; undefined if no file can have such a path. */
  readonly path: RequestPath | undefined;
  /** The query; empty, or beginning with a question mark. */
  readonly query: string;
  /** The path and query as received. */
  readonly raw: string;
}

/** Parses the target of a request, which is untrusted. */
export function parseRequestTarget(target: string): RequestTarget {
  const [, host, rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [
    undefined,
    undefined,
    target,
  ];
  const queryStart = rest.indexOf("?");
  const path = queryStart < 0 ? rest : rest.slice(0, queryStart);
  const query = queryStart < 0 ? "" : rest.slice(queryStart);
  return {
    host,
    path: parsePath(path === "" && host !== undefined ? "/" : path),
    query,
    raw: rest,
  };
}

function parsePath(path: string): RequestPath | undefined {
  if (!path.startsWith("/") || path.includes("#")) return undefined;
  const text = decodeText(path);
  // An intermediary could interpret an encoded slash or backslash as a separator.
  if (text === undefined || /\\|%2f/i.test(path) || /[\p{Cc}\\]/u.test(text)) return undefined;
  const parts = text.split("/").slice(1);
  const isFolder = parts.at(-1) === "";
  if (isFolder) parts.pop();
  const names = parts.filter((name) => name !== "");
  if (names.some((name) => name === "." || name === "..")) return undefined;
  return { names, isFolder, hasEmptyNames: names.length < parts.length };
}

function decodeText(path: string): string | undefined {
  if (!path.includes("%")) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** Formats a path with a single leading slash, encoded so that it cannot lead to another host. `names` are decoded. */
export function formatPath(names: readonly string[], isFolder: boolean): string {
  if (names.length === 0) return "/";
  return `/${names.map(encodeURIComponent).join("/")}${isFolder ? "/" : ""}`;
}
