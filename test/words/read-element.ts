import type { Definition, Reading, Scope } from "./scope.ts";
import { maxDepth } from "./scope.ts";
import { isKnownElement, isShownAttribute } from "./shown-attributes.ts";
import { isInline } from "./inline-names.ts";

/** An element of Markdown or of JavaScript. */
export interface ElementSource {
  readonly name: string;
  readonly line: number;
  readonly attributes: readonly AttributeSource[];
  readChildren(): void;
}

export interface AttributeSource {
  readonly name: string;
  /** As it is written. */
  readonly code: string;
  /** The value, if it is a string. */
  readonly text: string | undefined;
  /** Reads the value as something that is shown. */
  read(what: string): void;
}

const playedElements = new Set(["video", "audio"]);
const silentElements = new Set("script style template noscript object embed".split(" "));

export interface SnippetReader {
  (definition: Extract<Definition, { kind: "snippet" }>, scope: Scope): void;
}

export interface ComponentReader {
  (definition: Extract<Definition, { kind: "component" }>, names: Map<string, Definition>): void;
}

interface Readers {
  readonly readSnippet: SnippetReader;
  readonly readComponent: ComponentReader;
}

export function createElementReader({ pieces, readFile, hasSide }: Reading, readers: Readers) {
  function read(element: ElementSource, scope: Scope): void {
    const { name } = element;
    const definition = scope.names.get(name);
    if (silentElements.has(name)) pieces.within("code", () => readPlain(element));
    else if (playedElements.has(name)) pieces.within("fallback", () => readPlain(element));
    else if (name === "Visibility" && textOf(element, "for") === "agents") {
      pieces.within("agents", () => readPlain(element));
    } else if (name === "Panel" && !hasSide) pieces.within("panel", () => readPlain(element));
    else if (name === "Snippet") readSnippetFile(element, scope);
    else if (definition === undefined || definition.kind === "value") readPlain(element);
    else readOwn(element, definition, scope);
  }

  function readPlain(element: ElementSource): void {
    const { name, attributes } = element;
    const edge = isInline(name) ? () => {} : () => pieces.breakWord();
    edge();
    for (const attribute of attributes) {
      if (isShownAttribute(name, attribute.name)) {
        pieces.breakWord();
        attribute.read(`${name} ${attribute.name}`);
        pieces.breakWord();
      } else {
        const isNobodys = !isKnownElement(name);
        pieces.explain(attribute.code, isNobodys ? "absent" : "property");
      }
    }
    pieces.explain(`${name} ${name}`, "property");
    element.readChildren();
    edge();
  }

  function readSnippetFile(element: ElementSource, scope: Scope): void {
    const file = textOf(element, "file") ?? "";
    const found = ["_snippets", "snippets"]
      .map((folder) => ({ path: `${folder}/${file}`, text: readFile(`${folder}/${file}`) }))
      .find(({ text }) => text !== undefined);
    const definition: Definition =
      found?.text === undefined
        ? { kind: "absent" }
        : { kind: "snippet", path: found.path, text: found.text };
    readOwn(element, definition, scope);
  }

  /** Reads a component of the site's own with what it is given. */
  function readOwn(element: ElementSource, definition: Definition, scope: Scope): void {
    pieces.breakWord();
    pieces.explain(`${element.name} ${element.name}`, "property");
    if (definition.kind === "absent" || scope.depth > maxDepth) {
      for (const { code } of element.attributes) pieces.explain(code, "absent");
      element.readChildren();
      return pieces.breakWord();
    }
    const given = givenValues(element);
    if (definition.kind === "snippet") {
      const names = new Map([...scope.names, ...given.names]);
      readers.readSnippet(definition, { ...scope, names, depth: scope.depth + 1 });
    } else if (definition.kind === "component") readers.readComponent(definition, given.names);
    given.explainUnused();
    pieces.breakWord();
  }

  function givenValues(element: ElementSource) {
    const used = new Set<string>();
    const names = new Map<string, Definition>();
    const give = (name: string, readValue: () => void) => {
      const read = () => {
        used.add(name);
        readValue();
      };
      names.set(name, { kind: "value", read });
      names.set(`props.${name}`, { kind: "value", read });
    };
    for (const attribute of element.attributes) {
      give(attribute.name, () => attribute.read(`${element.name} ${attribute.name}`));
    }
    give("children", () => element.readChildren());
    const explainUnused = () => {
      for (const { name, code } of element.attributes) {
        pieces.explain(used.has(name) ? name : code, "property");
      }
      if (!used.has("children")) pieces.within("children", () => element.readChildren());
    };
    return { names, explainUnused };
  }

  return read;
}

function textOf({ attributes }: ElementSource, name: string): string | undefined {
  return attributes.find((attribute) => attribute.name === name)?.text;
}
