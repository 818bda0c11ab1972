import { posix } from "node:path";
import { cleanRelativePath } from "../core/index.ts";
import { jsonText } from "./json.ts";
import type { JsonNode } from "./json.ts";

/** The file of a site that a `$ref` names; `form` if it is not a relative path of a .json file, `outside` if it leads out of the site. */
export type ReferencedFile =
  | { readonly path: string }
  | { readonly path?: undefined; readonly fault: "form" | "outside" };

/** Reads the value of a `$ref`; its path is relative to the folder of the file that contains it. */
export function referencedFile(reference: JsonNode): ReferencedFile {
  const text = jsonText(reference);
  const isRelative = text !== undefined && !posix.isAbsolute(text) && !/^[a-z]+:/i.test(text);
  if (!isRelative || !text.endsWith(".json")) return { fault: "form" };
  const path = cleanRelativePath(posix.join(posix.dirname(reference.source.file), text));
  return path === undefined ? { fault: "outside" } : { path };
}
