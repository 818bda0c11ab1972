import type { ModuleDeclaration, Statement, VariableDeclarator } from "acorn";
import {
  findIncludedFile,
  UnreadFile,
  type IncludedFiles,
  type SourceFile,
} from "../source-file.ts";
import type { EvaluationContext } from "./evaluation-context.ts";
import { findEvaluationErrorReason } from "./evaluation-context.ts";
import { bindPattern, evaluate } from "./interpret.ts";
import { listDeclaredNames } from "./statements.ts";
import { findReactValue } from "./react.ts";
import { Closure, ImportedPage, LexicalScope, UnavailableValue } from "./value.ts";
import type { Value } from "./value.ts";

/** The names that the files of one page import and declare. Each file is evaluated once. */
export class ModuleScopes {
  readonly #files: IncludedFiles;
  readonly #sharedContext: Pick<EvaluationContext, "budget" | "renderElement">;
  readonly #scopes = new Map<string, LexicalScope>();

  constructor(
    files: IncludedFiles,
    sharedContext: Pick<EvaluationContext, "budget" | "renderElement">,
  ) {
    this.#files = files;
    this.#sharedContext = sharedContext;
  }

  getScope(file: SourceFile): LexicalScope {
    const cached = this.#scopes.get(file.path);
    if (cached) return cached;
    const scope = new LexicalScope();
    this.#scopes.set(file.path, scope);
    const position = { file: file.path, line: 1, column: 1 };
    const context = { scope, file, position, isFlow: false, ...this.#sharedContext };
    fillModuleScope(file, this.#resolveImport, context);
    return scope;
  }

  #resolveImport = (name: string, candidates: readonly string[], specifier: string): Value => {
    const file = findIncludedFile(candidates, this.#files);
    if (file instanceof UnreadFile) return new UnavailableValue(file.reason);
    if (!file) {
      const native = specifier === "react" ? findReactValue(name) : undefined;
      if (native !== undefined) return native;
      const subject = candidates.length === 0 ? "The package" : "The file";
      return new UnavailableValue(
        `${subject} ${JSON.stringify(specifier)} is not part of the site.`,
      );
    }
    const isPage = name === "default" && /\.mdx?$/.test(file.path);
    const scope = isPage ? new LexicalScope() : this.getScope(file);
    if (name !== "*") return getExportedValue(name, file, scope);
    return new UnavailableValue(`Import the names of ${JSON.stringify(specifier)} one by one.`);
  };
}

/**
 * The key of a file's default export in its scope. No JavaScript name can be equal to this key, because it contains a
 * space.
 */
const defaultExportKey = "export default";

/**
 * Defines in `context.scope` the names that `file` imports and declares. A declaration that cannot be evaluated becomes
 * an `UnavailableValue` with the reason. Throws only `too_large`.
 */
function fillModuleScope(
  file: SourceFile,
  resolveImport: (name: string, candidates: readonly string[], specifier: string) => Value,
  context: EvaluationContext,
): void {
  for (const { local, imported: name, candidates, specifier } of file.imports) {
    context.scope.set(local, resolveImport(name, candidates, specifier));
  }
  const statements = file.modules.flatMap((program) => program.body).map(unwrapExport);
  for (const statement of statements) {
    if (statement?.type !== "FunctionDeclaration" || !statement.id) continue;
    context.scope.set(statement.id.name, new Closure(statement, context));
  }
  for (const statement of statements) {
    if (statement?.type === "ClassDeclaration" && statement.id) {
      const reason = "A static page cannot evaluate classes.";
      context.scope.set(statement.id.name, new UnavailableValue(reason, { isDeclared: true }));
    }
    if (statement?.type !== "VariableDeclaration") continue;
    for (const declarator of statement.declarations) declareVariable(declarator, context);
  }
  for (const program of file.modules) {
    for (const statement of program.body) declareExport(statement, context);
  }
}

type Declaration = Statement | ModuleDeclaration | undefined | null;

function unwrapExport(statement: Statement | ModuleDeclaration): Declaration {
  return statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
}

function declareVariable({ id, init }: VariableDeclarator, context: EvaluationContext): void {
  tryDeclare(listDeclaredNames(id), context, () =>
    bindPattern(id, init ? evaluate(init, context) : undefined, context),
  );
}

function declareExport(statement: Statement | ModuleDeclaration, context: EvaluationContext): void {
  if (statement.type === "ExportDefaultDeclaration") {
    const { declaration } = statement;
    tryDeclare([defaultExportKey], context, () => {
      if (declaration.type === "FunctionDeclaration") {
        const closure = new Closure(declaration, context);
        if (declaration.id) context.scope.set(declaration.id.name, closure);
        context.scope.set(defaultExportKey, closure);
      } else if (declaration.type !== "ClassDeclaration") {
        context.scope.set(defaultExportKey, evaluate(declaration, context));
      }
    });
  }
  if (statement.type !== "ExportNamedDeclaration" || statement.source) return;
  for (const { local, exported } of statement.specifiers) {
    if (local.type !== "Identifier" || exported.type !== "Identifier") continue;
    const name = exported.name === "default" ? defaultExportKey : exported.name;
    if (context.scope.has(local.name)) context.scope.set(name, context.scope.get(local.name));
  }
}

function tryDeclare(
  names: readonly string[],
  context: EvaluationContext,
  declare: () => void,
): void {
  try {
    declare();
  } catch (error) {
    const reason = findEvaluationErrorReason(error);
    if (reason === undefined) throw error;
    for (const name of names)
      context.scope.set(name, new UnavailableValue(reason, { isDeclared: true }));
  }
}

/** Returns the value that another file gets by importing `name` from `file`, whose scope is `scope`. */
function getExportedValue(name: string, file: SourceFile, scope: LexicalScope): Value {
  const isScript = !/\.mdx?$/.test(file.path);
  if (name === "default" && !isScript) return new ImportedPage(file);
  const key = name === "default" ? defaultExportKey : name;
  if (scope.has(key)) return scope.get(key);
  return new UnavailableValue(`${file.path} does not export \`${name}\`.`);
}
