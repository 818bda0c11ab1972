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
  /** The descriptions in order: paths relative to the site's folder, or addresses. */
  readonly locations: readonly string[];
  /** The folder of the pages that are generated from the descriptions. */
  readonly directory: string;
}

export const apiKeys = ["openapi", "asyncapi"] as const;
export type ApiSourceKey = (typeof apiKeys)[number];

const defaultDirectory = "api-reference";

/** Reads a path, a list of paths, or `{ source, directory }`. Invalid values are reported to `problems`, if given. */
export function readApiSource(
  node: JsonNode | undefined,
  problems?: ProblemLog,
): ApiSource | undefined {
  if (!node) return undefined;
  const members = findJsonMembers(node);
  const written = members?.get("directory");
  const directory = written && cleanRelativePath(findJsonText(written) ?? "");
  const source = members?.get("source") ?? node;
  const locations = (findJsonItems(source) ?? [source]).flatMap((item) => {
    const text = findJsonText(item);
    const location = text === undefined ? undefined : cleanLocation(text);
    if (location !== undefined) return [location];
    const message =
      "An API description must be the path of a .json or .yaml file of this site, or an address that begins with https:; this one is ignored.";
    problems?.warn("description_invalid", message, locateJsonNode(item));
    return [];
  });
  return {
    locations,
    directory: directory === undefined || directory === "" ? defaultDirectory : directory,
  };
}

/** Normalizes a path or address; undefined for anything else. */
export function cleanLocation(text: string): string | undefined {
  const trimmed = text.trim();
  if (isRemote(trimmed)) return URL.canParse(trimmed) ? trimmed : undefined;
  if (!isLocation(trimmed) || /^[a-z]+:/i.test(trimmed)) return undefined;
  return cleanRelativePath(trimmed);
}
