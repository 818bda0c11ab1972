import type { AttributeSource, ElementSource } from "./read-element.ts";
import type { Definition, Reading, Scope } from "./scope.ts";
import { childOf, childrenOf, isCodeNode, nameOf, type CodeNode } from "./syntax.ts";

type ReadElement = (element: ElementSource, scope: Scope) => void;

/** Reads JavaScript between braces as far as it is text or JSX; the rest is explained. */
export function createCodeReader({ pieces }: Reading, readElement: ReadElement) {
  /** An expression whose value is shown. */
  function read(node: CodeNode, scope: Scope, what = "text"): void {
    const reader = readers[node.type];
    if (reader === undefined) pieces.explain(sourceOf(node, scope), "expression");
    else reader(node, scope, what);
  }

  function readName(node: CodeNode, scope: Scope): void {
    const name = nameOf(node);
    pieces.explain(name, "expression");
    const definition = scope.names.get(name);
    if (definition?.kind === "value") definition.read();
  }

  function readJsx(node: CodeNode, scope: Scope): void {
    const opening = childOf(node, "openingElement");
    const attributes = childrenOf(opening, "attributes").map((attribute) =>
      readableAttribute(attribute, scope),
    );
    const name = nameOf(childOf(opening, "name"));
    const readChildren = () => readAll(childrenOf(node, "children"), scope);
    readElement({ name, line: lineOf(node, scope), attributes, readChildren }, scope);
  }

  function readableAttribute(node: CodeNode, scope: Scope): AttributeSource {
    const value = childOf(node, "value");
    const literal = value?.type === "Literal" ? value["value"] : undefined;
    return {
      name: nameOf(childOf(node, "name")),
      code: sourceOf(node, scope),
      text: typeof literal === "string" ? literal : undefined,
      read: (what) => {
        pieces.explain(nameOf(childOf(node, "name")), "property");
        if (value !== undefined) read(value, scope, what);
      },
    };
  }

  function readAll(nodes: readonly CodeNode[], scope: Scope, what?: string): void {
    for (const node of nodes) read(node, scope, what);
  }

  function readTemplate(node: CodeNode, scope: Scope, what: string): void {
    for (const quasi of childrenOf(node, "quasis")) {
      const value = quasi["value"] as { readonly cooked: string };
      pieces.show(value.cooked, what, lineOf(quasi, scope));
    }
    readAll(childrenOf(node, "expressions"), scope, what);
  }

  function readLiteral(node: CodeNode, scope: Scope, what: string): void {
    const { value } = node;
    const isText = typeof value === "string" || typeof value === "number";
    if (isText) pieces.show(String(value), what, lineOf(node, scope));
    else pieces.explain(sourceOf(node, scope), "expression");
  }

  const readers: Readonly<Record<string, (node: CodeNode, scope: Scope, what: string) => void>> = {
    Literal: readLiteral,
    JSXText: (node, scope, what) => pieces.show(String(node["value"]), what, lineOf(node, scope)),
    TemplateLiteral: readTemplate,
    Identifier: readName,
    MemberExpression: readName,
    JSXElement: readJsx,
    JSXFragment: (node, scope) => readAll(childrenOf(node, "children"), scope),
    JSXEmptyExpression: (node, scope) => pieces.explain(sourceOf(node, scope), "comment"),
    ArrayExpression: (node, scope, what) => {
      for (const element of childrenOf(node, "elements")) {
        if (what !== "text") pieces.breakWord();
        read(element, scope, what);
      }
    },
    JSXExpressionContainer: (node, scope, what) => {
      const expression = childOf(node, "expression");
      if (expression !== undefined) read(expression, scope, what);
    },
  };

  /** The body of a component with what it is given. */
  function readComponent(
    { code, scope: own }: Extract<Definition, { kind: "component" }>,
    given: Map<string, Definition>,
  ): void {
    const names = new Map([...own.names, ...given]);
    const scope: Scope = { ...own, names, depth: own.depth + 1 };
    for (const parameter of childrenOf(code, "params")) {
      pieces.explain(sourceOf(parameter, scope), "expression");
      addDefaults(parameter, scope);
    }
    const body = childOf(code, "body");
    if (body === undefined) return;
    if (body.type !== "BlockStatement") return read(body, scope);
    let isDecided = true;
    for (const statement of childrenOf(body, "body")) {
      const shown =
        statement.type === "ReturnStatement" ? childOf(statement, "argument") : undefined;
      if (shown === undefined) pieces.explain(sourceOf(statement, scope), "expression");
      else if (isDecided) read(shown, scope);
      else pieces.within("expression", () => read(shown, scope));
      // Which of several returns is taken, the component decides.
      if (/If|Switch|Try/.test(statement.type)) isDecided = false;
    }
  }

  /** `({ title = "Note" })` */
  function addDefaults(parameter: CodeNode, scope: Scope): void {
    for (const property of childrenOf(parameter, "properties")) {
      const value = childOf(property, "value");
      const name = nameOf(childOf(property, "key"));
      const fallback = childOf(value, "right");
      if (value?.type !== "AssignmentPattern" || scope.names.has(name)) continue;
      if (isCodeNode(fallback)) {
        scope.names.set(name, { kind: "value", read: () => read(fallback, scope) });
      }
    }
  }

  return { read, readComponent };
}

function sourceOf(node: CodeNode, scope: Scope): string {
  return scope.source.slice(node.start, node.end);
}

function lineOf(node: CodeNode, scope: Scope): number {
  return scope.source.slice(0, node.start).split("\n").length;
}
