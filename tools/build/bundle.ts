import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import type { Plugin } from "esbuild";
import { keepModuleUrls } from "./module-urls.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/** The modules of a package to bundle, and the modules to leave out of the bundle. */
export interface Bundling {
  /** Modules of `src/` that other packages import, and programs. Each keeps its path in `dist/`. */
  readonly entries: readonly string[];
  /** Packages, and modules of packages, that are not bundled. */
  readonly external: readonly string[];
}

/** Appends an empty source map to the modules of packages, because source maps need not contain their lines. */
const leavePackagesOutOfMaps: Plugin = {
  name: "packages-out-of-maps",
  setup(bundling) {
    bundling.onLoad({ filter: /\/node_modules\/.*\.[mc]?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, "utf8")}\n//# sourceMappingURL=data:application/json;base64,${emptyMap}`,
      loader: "default",
    }));
  },
};
const emptyMap = Buffer.from('{"version":3,"sources":[""],"mappings":"A"}').toString("base64");

/** CommonJS packages load Node's modules with `require`, which an ES module must create itself. */
const requireOfNode =
  'import { createRequire as createRequireOfNode } from "node:module";\nconst require = createRequireOfNode(import.meta.url);';

/**
 * Bundles a package's modules, so that modules that are loaded together are in few files. Node takes 0.3 ms of CPU to
 * find, read and link a module, and an export loads a thousand modules. Packages whose code is included need not be
 * installed; their licenses are written next to the bundle.
 */
export async function bundle(
  folder: string,
  target: string,
  { entries, external }: Bundling,
): Promise<void> {
  const source = join(folder, "src");
  const { metafile } = await build({
    entryPoints: entries.map((entry) => join(source, `${entry}.ts`)),
    absWorkingDir: folder,
    outbase: source,
    outdir: target,
    chunkNames: "chunks/[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // Resolves packages as Node does. By default, esbuild uses the entry points for bundlers, even for required
    // packages.
    conditions: [],
    external: [...external],
    plugins: [keepModuleUrls(folder, readManifest(folder).name), leavePackagesOutOfMaps],
    banner: { js: requireOfNode },
    charset: "utf8",
    legalComments: "none",
    // Names are preserved for stack traces; `npm run test:install` bounds the installed size.
    minifyWhitespace: true,
    sourcemap: "linked",
    // Stack traces contain the repository's file names and line numbers. With the source text, the maps would be twice
    // as large.
    sourcesContent: false,
    tsconfigRaw: {},
    metafile: true,
  });
  const packages = new Set(Object.keys(metafile.inputs).map(packageFolder));
  const licenses = [...packages].filter((path) => path !== undefined).toSorted();
  const texts = licenses.map((path) => licenseOf(join(folder, path)));
  writeFileSync(join(target, "THIRD-PARTY-LICENSES.txt"), texts.join(`\n${rule}\n`));
}

const rule = "-".repeat(80);
const packageForm = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

function packageFolder(file: string): string | undefined {
  return packageForm.exec(file)?.[0];
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function licenseOf(folder: string): string {
  const { name, version, license } = readManifest(folder);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  return `${name} ${version}, ${license}\n${text}`;
}
