import { readFileSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";

const ownUrl = /\bimport\.meta\.url\b/g;
const packageForm = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\/(.+)$/;

/**
 * Replaces `import.meta.url` in each module with the URL that the module would have without bundling: in `dist/` of
 * this package, or in the package that contains the module. Modules find the files next to them by this URL, which in a
 * bundle would be the URL of a different file.
 */
export function keepModuleUrls(folder: string, name: string): Plugin {
  const source = join(folder, "src");
  return {
    name: "module-urls",
    setup(build) {
      build.onLoad({ filter: /\.(?:[mc]?js|ts)$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        if (!ownUrl.test(text)) return undefined;
        const url = path.startsWith(source + sep)
          ? urlOf(
              join("dist", relative(source, path)).replace(/\.ts$/, ".js"),
              `${name}/package.json`,
            )
          : urlInPackage(path);
        const contents = text.replaceAll(ownUrl, () => url);
        return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
      });
    },
  };
}

/** Returns the file's URL as an expression, based on the location where Node finds the package at run time. */
function urlInPackage(path: string): string {
  const [, folder = "", name = "", file = ""] = packageForm.exec(path.split(sep).join("/")) ?? [];
  const entry = relative(folder, fileURLToPath(import.meta.resolve(name)));
  return urlOf(posix.relative(posix.dirname(entry.split(sep).join("/")), file), name);
}

function urlOf(file: string, from: string): string {
  const path = JSON.stringify(file.split(sep).join("/"));
  return `new URL(${path}, import.meta.resolve(${JSON.stringify(from)})).href`;
}
