import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { addressOf, writePages } from "../corpus.ts";
import { installPackages, programOf } from "./npm-packages.ts";
import { roomyHeap } from "./peer.ts";
import type { Peer } from "./peer.ts";

const version = "3.10.2";
const packages = {
  "@docusaurus/core": version,
  "@docusaurus/preset-classic": version,
  "@docusaurus/faster": version,
  // A dependency of its search, which stays off: the newest version is incomplete on some registries.
  "@docsearch/react": "4.6.0",
  "@mdx-js/react": "3.1.1",
  "prism-react-renderer": "2.4.1",
  react: "19.3.1",
  "react-dom": "19.3.1",
};

/** Languages of the corpus that its highlighter does not bring along. */
const languages = "bash csharp diff groovy http java powershell properties ruby toml".split(" ");

const config = `export default {
  title: "Corpus",
  url: "https://docs.example.com",
  baseUrl: "/",
  future: { v4: true },
  onBrokenLinks: "warn",
  onBrokenAnchors: "ignore",
  markdown: { format: "detect" },
  presets: [["classic", {
    docs: { routeBasePath: "/", numberPrefixParser: false },
    blog: false,
    pages: false,
  }]],
  themeConfig: { prism: { additionalLanguages: ${JSON.stringify(languages)} } },
};
`;

export const docusaurus: Peer = {
  name: "Docusaurus",
  version,
  setup:
    "preset classic with the faster builder, as its template has it; sidebar from the folders, highlighting, sitemap; no search, which it does not bring along",
  install: (folder) => installPackages(folder, packages),
  async prepare(corpus, site) {
    const folder = join(site, "../..");
    await writePages(corpus, join(site, "docs"), { link: (name) => `/${addressOf(name)}` });
    await writeFile(join(site, "docusaurus.config.js"), config);
    // The site's own package.json: files that the builder generates must not be treated as ES modules.
    await writeFile(join(site, "package.json"), JSON.stringify({ private: true }));
    return {
      command: [programOf(folder, "docusaurus"), "build"],
      cwd: site,
      env: { DO_NOT_TRACK: "1", NODE_OPTIONS: roomyHeap },
      output: join(site, "build"),
      caches: [
        join(site, ".docusaurus"),
        join(site, "node_modules"),
        join(folder, "node_modules/.cache"),
      ],
    };
  },
};
