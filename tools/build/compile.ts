import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

interface Compilation {
  /** The folder of the package. */
  readonly folder: string;
  readonly target: string;
  /** The folder for the generated compiler settings. */
  readonly scratch: string;
  /** A package of the repository that this package imports. Its types are read from `types`, not from its `dist/`. */
  readonly library?: { readonly folder: string; readonly types: string };
}

/** Type-checks a package as it is published, and writes the types of the modules that other packages import. */
export function compile({ folder, target, scratch, library }: Compilation): void {
  const project = join(scratch, `tsconfig.${basename(folder)}.json`);
  const paths = library && typesOf(library.folder, library.types);
  const settings = { extends: join(folder, "tsconfig.build.json"), compilerOptions: { paths } };
  writeFileSync(project, JSON.stringify(settings));
  const compiler = join(import.meta.dirname, "../../node_modules/.bin/tsc");
  execFileSync(compiler, ["-p", project, "--outDir", target], { stdio: "inherit" });
}

interface Exports {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** Returns the compiler's `paths` for the entry points (`exports`) of a package. */
function typesOf(folder: string, target: string): Record<string, [string]> {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Exports;
  const paths: Record<string, [string]> = {};
  for (const [door, entry] of Object.entries(manifest.exports)) {
    if (typeof entry === "string") continue;
    paths[join(manifest.name, door)] = [join(target, entry.types.replace(/^\.\/dist\//, ""))];
  }
  return paths;
}
