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

/** The parts of a package that are bundled, and those that are not. */
export interface Bundling {
  /** Modules of `src/` that other packages import, and programs. Each keeps its path in `dist/`. */
  readonly entries: readonly string[];
  /** Packages that stay outside, and modules of packages. */
  readonly external: readonly string[];
}

/** Ends in an empty source map: the lines of packages are not needed here. */
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

/** CommonJS packages load Node's modules with `require`, which an ES module has to create for itself. */
const requireOfNode =
  'import { createRequire as createRequireOfNode } from "node:module";\nconst require = createRequireOfNode(import.meta.url);';

/**
 * Bundles a package's modules, so that modules that are loaded together are in few files. Node takes 0.3 ms of CPU to
 * find, read and link a module, and an export loads a thousand. Packages whose code is included need not be installed;
 * their licenses are written beside the bundle.
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
    // Resolved as in Node: by default esbuild uses the entry points for bundlers, even for required packages.
    conditions: [],
    external: [...external],
    plugins: [keepModuleUrls(folder, readManifest(folder).name), leavePackagesOutOfMaps],
    banner: { js: requireOfNode },
    charset: "utf8",
    legalComments: "none",
    // Names are preserved for stack traces; `npm run test:install` bounds the installed size.
    minifyWhitespace: true,
    sourcemap: "linked",
    // Stack traces name files and lines of the repository. With the sources' texts the maps would be twice as large.
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
