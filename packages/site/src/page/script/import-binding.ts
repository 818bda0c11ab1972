import type { ImportDeclaration, Program } from "acorn";
import { cleanRelativePath } from "../../core/index.ts";
import type { ImportBinding } from "../source-file.ts";

const extensions = [".mdx", ".md", ".jsx", ".js"];

/** Reads the names that the ESM blocks of a file import, each with the possible paths of the imported file. */
export function readImports(modules: readonly Program[], file: string): readonly ImportBinding[] {
  return modules.flatMap((program) =>
    program.body.flatMap((statement) =>
      statement.type === "ImportDeclaration" ? createBindings(statement, file) : [],
    ),
  );
}

function createBindings(statement: ImportDeclaration, file: string): readonly ImportBinding[] {
  const specifier = String(statement.source.value);
  const candidates = listCandidates(specifier, file);
  return statement.specifiers.map((entry) => {
    const local = entry.local.name;
    if (entry.type === "ImportDefaultSpecifier") {
      return { local, imported: "default", specifier, candidates };
    }
    if (entry.type === "ImportNamespaceSpecifier") {
      return { local, imported: "*", specifier, candidates };
    }
    const { imported } = entry;
    const name = imported.type === "Identifier" ? imported.name : String(imported.value);
    return { local, imported: name, specifier, candidates };
  });
}

/** Lists the possible paths. `/snippets/a.mdx` is relative to the site's folder, `./a.mdx` to that of the file. */
function listCandidates(specifier: string, file: string): readonly string[] {
  if (!/^\.{0,2}\//.test(specifier)) return [];
  const folder = file.slice(0, file.lastIndexOf("/") + 1);
  const path = cleanRelativePath(specifier.startsWith("/") ? specifier : folder + specifier);
  if (path === undefined || path === "") return [];
  if (/\.\w+$/.test(path)) return [path];
  return [path, ...extensions.map((extension) => path + extension)];
}

/** Lists the possible paths of `<Snippet file="a.mdx" />`. Some authors add the folder or omit the extension. */
export function listSnippetCandidates(file: string): readonly string[] {
  const path = cleanRelativePath(file);
  if (path === undefined || path === "") return [];
  const named = /\.\w+$/.test(path) ? path : `${path}.mdx`;
  const whole = /^_?snippets\//.test(named) ? [named] : [];
  return [...whole, `snippets/${named}`, `_snippets/${named}`];
}
