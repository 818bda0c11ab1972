import { globSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Packages that are no modules ask for Node's by `require`, which a module has to make for itself. */
const requireOfNode =
  'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);';

/**
 * Each module `<name>.bundled.ts` names what is used of packages that are large for other reasons: types, languages
 * and ways of loading that nothing here needs. It becomes one file that holds that, and those packages need not be
 * installed. Packages that are installed anyway stay outside. Their licences stand beside it.
 */
export function bundlePackages(folder: string, target: string): void {
  const source = join(folder, "src");
  const { dependencies = {} } = readManifest(folder);
  const { metafile } = buildSync({
    entryPoints: globSync("**/*.bundled.ts", { cwd: source })
      .toSorted()
      .map((file) => join(source, file)),
    absWorkingDir: folder,
    outbase: source,
    outdir: target,
    chunkNames: "packages/[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
    banner: { js: requireOfNode },
    charset: "utf8",
    legalComments: "none",
    // Names stay, for traces of errors; `npm run test:install` bounds what is installed.
    minifyWhitespace: true,
    tsconfigRaw: {},
    metafile: true,
  });
  const packages = new Set(Object.keys(metafile.inputs).map(packageFolder));
  const licences = [...packages].filter((path) => path !== undefined).toSorted();
  const texts = licences.map((path) => licenceOf(join(folder, path)));
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

function licenceOf(folder: string): string {
  const { name, version, license } = readManifest(folder);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? "" : `\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  return `${name} ${version}, ${license}\n${text}`;
}
