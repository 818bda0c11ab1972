import type { ModuleDeclaration, Pattern, Statement, VariableDeclarator } from "acorn";
import { reasonOf, type Circumstances } from "./circumstances.ts";
import { bind, evaluate } from "./interpret.ts";
import type { SourceFile } from "./source-file.ts";
import { Absent, Closure, Page, type Scope, type Value } from "./value.ts";

/** Under which a file's default export stands in its scope; no name of JavaScript has a space. */
export const defaultExport = "export default";

/**
 * Gives the names that `file` imports and declares their values, in `at.scope`. A declaration that
 * cannot be worked out stands for nothing, with the reason; nothing is thrown but `too_large`.
 */
export function fillModuleScope(
  file: SourceFile,
  imported: (name: string, candidates: readonly string[], specifier: string) => Value,
  at: Circumstances,
): void {
  for (const { local, imported: name, candidates, specifier } of file.imports) {
    at.scope.set(local, imported(name, candidates, specifier));
  }
  const statements = file.modules.flatMap((program) => program.body).map(unwrapExport);
  for (const statement of statements) {
    if (statement?.type !== "FunctionDeclaration" || !statement.id) continue;
    at.scope.set(statement.id.name, new Closure(statement, at.scope, at.file));
  }
  for (const statement of statements) {
    if (statement?.type !== "VariableDeclaration") continue;
    for (const declarator of statement.declarations) declareVariable(declarator, at);
  }
  for (const program of file.modules) {
    for (const statement of program.body) declareExport(statement, at);
  }
}

type Declared = Statement | ModuleDeclaration | undefined | null;

function unwrapExport(statement: Statement | ModuleDeclaration): Declared {
  return statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
}

function declareVariable({ id, init }: VariableDeclarator, at: Circumstances): void {
  attempt(namesOf(id), at, () => bind(id, init ? evaluate(init, at) : undefined, at));
}

function declareExport(statement: Statement | ModuleDeclaration, at: Circumstances): void {
  if (statement.type === "ExportDefaultDeclaration") {
    const { declaration } = statement;
    attempt([defaultExport], at, () => {
      if (declaration.type === "FunctionDeclaration") {
        const closure = new Closure(declaration, at.scope, at.file);
        if (declaration.id) at.scope.set(declaration.id.name, closure);
        at.scope.set(defaultExport, closure);
      } else if (declaration.type !== "ClassDeclaration") {
        at.scope.set(defaultExport, evaluate(declaration, at));
      }
    });
  }
  if (statement.type !== "ExportNamedDeclaration" || statement.source) return;
  for (const { local, exported } of statement.specifiers) {
    if (local.type !== "Identifier" || exported.type !== "Identifier") continue;
    const name = exported.name === "default" ? defaultExport : exported.name;
    if (at.scope.has(local.name)) at.scope.set(name, at.scope.get(local.name));
  }
}

function attempt(names: readonly string[], at: Circumstances, declare: () => void): void {
  try {
    declare();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    for (const name of names) at.scope.set(name, new Absent(reason));
  }
}

function namesOf(pattern: Pattern): readonly string[] {
  if (pattern.type === "Identifier") return [pattern.name];
  if (pattern.type !== "ObjectPattern") return [];
  return pattern.properties.flatMap((property) =>
    property.type === "Property" ? namesOf(property.value) : [],
  );
}

/** What `name` stands for when another file imports it from `file`, whose scope is given. */
export function exportedValue(name: string, file: SourceFile, scope: Scope): Value {
  const isScript = !/\.mdx?$/.test(file.path);
  if (name === "default" && !isScript) return new Page(file);
  const key = name === "default" ? defaultExport : name;
  if (scope.has(key)) return scope.get(key);
  return new Absent(`${file.path} does not export \`${name}\`.`);
}
