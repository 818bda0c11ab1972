import { posix } from "node:path";
import type { Definition, Reading, Scope } from "./scope.ts";
import { childOf, childrenOf, nameOf, type CodeNode } from "./syntax.ts";

type NamesOfFile = (path: string, text: string, depth: number) => Map<string, Definition>;

interface DefinitionReaders {
  /** Reads a value where its name is used. */
  readValue(code: CodeNode, scope: Scope): void;
  /** The names of a file of JavaScript. */
  readonly namesOfScript: NamesOfFile;
  /** The names that a file of MDX exports. */
  readonly namesOfPage: NamesOfFile;
}

/** Adds what imports, exports and declarations name to a scope. */
export function addDefinitions(
  statements: readonly CodeNode[],
  scope: Scope,
  reading: Reading,
  readers: DefinitionReaders,
): void {
  for (const statement of statements) {
    if (statement.type === "ImportDeclaration") addImport(statement, scope, reading, readers);
    else addDeclaration(childOf(statement, "declaration") ?? statement, scope, readers);
  }
}

function addDeclaration(declaration: CodeNode, scope: Scope, readers: DefinitionReaders): void {
  if (declaration.type === "FunctionDeclaration") {
    const name = nameOf(childOf(declaration, "id"));
    scope.names.set(name, { kind: "component", code: declaration, scope });
  }
  for (const declarator of childrenOf(declaration, "declarations")) {
    const value = childOf(declarator, "init");
    const name = nameOf(childOf(declarator, "id"));
    if (value === undefined || name === "") continue;
    scope.names.set(
      name,
      /Function/.test(value.type)
        ? { kind: "component", code: value, scope }
        : { kind: "value", read: () => readers.readValue(value, scope) },
    );
  }
}

function addImport(
  statement: CodeNode,
  scope: Scope,
  { readFile }: Reading,
  readers: DefinitionReaders,
): void {
  const from = String(childOf(statement, "source")?.["value"]);
  const path = from.startsWith("/") ? from.slice(1) : posix.join(posix.dirname(scope.path), from);
  const text = from.startsWith("/") || from.startsWith(".") ? readFile(path) : undefined;
  const isPage = /\.mdx?$/.test(path);
  for (const specifier of childrenOf(statement, "specifiers")) {
    const name = nameOf(childOf(specifier, "local"));
    const imported = nameOf(childOf(specifier, "imported")) || "default";
    if (text === undefined) scope.names.set(name, { kind: "absent" });
    else if (isPage && imported === "default") {
      scope.names.set(name, { kind: "snippet", path, text });
    } else {
      const namesOf = isPage ? readers.namesOfPage : readers.namesOfScript;
      const definition = namesOf(path, text, scope.depth + 1).get(imported);
      scope.names.set(name, definition ?? { kind: "absent" });
    }
  }
}
