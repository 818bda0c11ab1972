import { omitUndefined, type ProblemLog } from "../core/index.ts";
import type { NavDirectory, NavDivision } from "../site/index.ts";
import { isAddress } from "./config-sections.ts";
import { findJsonMembers, findJsonText, locateJsonNode, type JsonNode } from "../text/index.ts";

/** The maximum length of a label. Labels are shown on every page. A longer label is a mistake and is truncated. */
const maxLabelLength = 500;

const directories: readonly NavDirectory[] = ["none", "accordion", "card"];

/** Reads the strings of a navigation element: name, icon, tag, description, address. */
export class NavigationText {
  readonly #problems: ProblemLog;

  constructor(problems: ProblemLog) {
    this.#problems = problems;
  }

  /**
   * Reads the name from the element's own key, such as `tab` or `group`, or from a key of older sites. Returns an empty
   * string if there is no name.
   */
  readLabel(node: JsonNode, key: string): string {
    const members = findJsonMembers(node);
    for (const candidate of [key, "label", "title", "name"]) {
      const value = members?.get(candidate)?.value;
      if (typeof value === "number") return String(value);
      if (typeof value === "string") return this.#shorten(value, node, key);
    }
    const message = `This ${key} has no name; add it as "${key}".`;
    this.#problems.warn("navigation_invalid", message, locateJsonNode(node));
    return "";
  }

  #shorten(label: string, node: JsonNode, key: string): string {
    if (label.length <= maxLabelLength) return label;
    const message = `The name of this ${key} is longer than ${maxLabelLength} characters; the rest is omitted.`;
    this.#problems.warn("navigation_invalid", message, locateJsonNode(node));
    return label.slice(0, maxLabelLength);
  }

  readDecoration(node: JsonNode): Pick<NavDivision, "description" | "icon" | "iconType" | "tag"> {
    return omitUndefined({
      description: this.#readText(node, "description"),
      icon: this.#readIcon(node),
      iconType:
        this.#readText(node, "iconType") ??
        findJsonText(findJsonMembers(findIcon(node))?.get("style")),
      tag: this.#readText(node, "tag"),
    });
  }

  /** Reads `directory`. Returns undefined if it is inherited. */
  readDirectory(node: JsonNode): NavDirectory | undefined {
    const child = findJsonMembers(node)?.get("directory");
    const knownDirectory = directories.find((directory) => directory === child?.value);
    if (!child || knownDirectory !== undefined) return knownDirectory;
    const message = '"directory" must be "none", "accordion" or "card"; it is ignored.';
    this.#problems.warn("navigation_invalid", message, locateJsonNode(child));
    return undefined;
  }

  /** Reads the address of an element that is a link. `url` is the older name of `href`. */
  readAddress(node: JsonNode): string | undefined {
    const members = findJsonMembers(node);
    const address = members?.get("href") ?? members?.get("url");
    const text = findJsonText(address)?.trim();
    if (!address || text === "") return undefined;
    if (text !== undefined && isAddress(text)) return text;
    const message = '"href" must be a path or an address that begins with https:; it is ignored.';
    this.#problems.warn("navigation_invalid", message, locateJsonNode(address));
    return undefined;
  }

  #readIcon(node: JsonNode): string | undefined {
    const nameNode = findJsonMembers(findIcon(node))?.get("name");
    return findJsonText(nameNode) ?? this.#readText(node, "icon");
  }

  #readText(node: JsonNode, key: string): string | undefined {
    const child = findJsonMembers(node)?.get(key);
    const text = findJsonText(child);
    if (!child || text !== undefined) return text === "" ? undefined : text;
    const message = `"${key}" must be text; it is ignored.`;
    this.#problems.warn("navigation_invalid", message, locateJsonNode(child));
    return undefined;
  }
}

/** Reads `"rocket"`, or `{ "name": "rocket", "style": "solid" }`. */
function findIcon(node: JsonNode): JsonNode | undefined {
  return findJsonMembers(node)?.get("icon");
}
