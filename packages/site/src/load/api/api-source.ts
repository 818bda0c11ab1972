import { cleanRelativePath } from "../../core/index.ts";
import {
  findJsonItems,
  findJsonMembers,
  locateJsonNode,
  findJsonText,
  type JsonNode,
} from "../../text/index.ts";
import type { ProblemLog } from "../../core/index.ts";
import { isRemote } from "../../openapi/index.ts";
import { isLocation } from "./operation-index.ts";

/** The `openapi` or `asyncapi` value of a navigation element. */
export interface ApiSource {
  /** The descriptions in order, as the author names them. */
  readonly names: readonly string[];
  /** The configuration file that names the descriptions. */
  readonly file: string;
  /** The folder of the pages that are generated from the descriptions. */
  readonly directory: string;
}

export const apiKeys = ["openapi", "asyncapi"] as const;
export type ApiSourceKey = (typeof apiKeys)[number];

const defaultDirectory = "api-reference";

interface ApiSourceOptions {
  readonly problems: ProblemLog;
  /** Reports whether a string in a file names a description. */
  readonly isName: (written: string, file: string) => boolean;
}

/** Lists the names in the value of `openapi` or `asyncapi`, one for each description. */
export function listApiNames(node: JsonNode): readonly JsonNode[] {
  const source = findJsonMembers(node)?.get("source") ?? node;
  return findJsonItems(source) ?? [source];
}

/**
 * Reads a path, a list of paths, or `{ source, directory }`. With `options`, reports and omits strings that do not name
 * a description.
 */
export function readApiSource(
  node: JsonNode | undefined,
  options?: ApiSourceOptions,
): ApiSource | undefined {
  if (!node) return undefined;
  const members = findJsonMembers(node);
  const written = members?.get("directory");
  const directory = written && cleanRelativePath(findJsonText(written) ?? "");
  const names = listApiNames(node).flatMap((item) => {
    const text = findJsonText(item);
    const isName = (written: string) => options?.isName(written, node.source.file) ?? true;
    if (text !== undefined && isName(text)) return [text];
    const message =
      "An API description must be the path of a .json or .yaml file of this site, or an https: address; this value is ignored.";
    options?.problems.warn("description_invalid", message, locateJsonNode(item));
    return [];
  });
  return {
    names,
    file: node.source.file,
    directory: directory === undefined || directory === "" ? defaultDirectory : directory,
  };
}

/** Normalizes a path or address. Returns undefined for anything else. */
export function cleanLocation(text: string): string | undefined {
  const trimmed = text.trim();
  if (isRemote(trimmed)) return URL.canParse(trimmed) ? trimmed : undefined;
  if (!isLocation(trimmed) || /^[a-z]+:/i.test(trimmed)) return undefined;
  return cleanRelativePath(trimmed);
}
