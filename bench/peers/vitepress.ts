import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isIndex, slashedAddressOf, writePages } from "../corpus.ts";
import type { Corpus } from "../corpus.ts";
import { installPackages, programOf } from "./npm-packages.ts";
import type { Peer } from "./peer.ts";

const packages = { vitepress: "1.6.4" };

export const vitepress: Peer = {
  name: "VitePress",
  version: packages.vitepress,
  setup: "a sidebar for each folder of the first level, highlighting, local search",
  mostPages: 1_000,
  install: (folder) => installPackages(folder, packages),
  async prepare(corpus, site) {
    await writePages(corpus, site, {
      link: linkTo,
      // It is the only one that leaves a page's title to its text.
      before: ({ title }) => `# ${title.replaceAll(/[\\`*_{}<>[\]]/g, "\\$&")}\n\n`,
    });
    const config = {
      title: "Corpus",
      cleanUrls: true,
      themeConfig: { search: { provider: "local" }, sidebar: sidebars(corpus) },
    };
    await mkdir(join(site, ".vitepress"));
    await writeFile(
      join(site, ".vitepress/config.mjs"),
      `export default ${JSON.stringify(config)};\n`,
    );
    return {
      command: [programOf(join(site, "../.."), "vitepress"), "build"],
      cwd: site,
      output: join(site, ".vitepress/dist"),
      caches: [join(site, ".vitepress/cache"), join(site, "node_modules")],
    };
  },
};

/** The first page of a folder is there at the folder's address only. */
function linkTo(name: string): string {
  return isIndex(name) ? slashedAddressOf(name) : `/${name}`;
}

function sidebars(corpus: Corpus): Record<string, { text: string; link: string }[]> {
  const sections: Record<string, { text: string; link: string }[]> = {};
  for (const { name, title } of corpus) {
    const [section = ""] = name.split("/");
    (sections[`/${section}/`] ??= []).push({ text: title, link: linkTo(name) });
  }
  return sections;
}
