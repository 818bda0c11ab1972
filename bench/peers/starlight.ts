import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { slashedAddressOf, writePages } from "../corpus.ts";
import { installPackages, programOf } from "./npm-packages.ts";
import { roomyHeap } from "./peer.ts";
import type { Peer } from "./peer.ts";

const packages = { astro: "7.3.5", "@astrojs/starlight": "0.42.4", sharp: "0.35.5" };

const config = `import { defineConfig } from "astro/config";
import starlight from "@astrojs/starlight";
export default defineConfig({
  site: "https://docs.example.com",
  integrations: [starlight({ title: "Corpus" })],
});
`;

const collections = `import { defineCollection } from "astro:content";
import { docsLoader } from "@astrojs/starlight/loaders";
import { docsSchema } from "@astrojs/starlight/schema";
export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) };
`;

export const starlight: Peer = {
  name: "Starlight",
  version: `${packages["@astrojs/starlight"]} (Astro ${packages.astro})`,
  setup: "sidebar from the folders, highlighting, search (Pagefind), sitemap",
  install: (folder) => installPackages(folder, packages),
  async prepare(corpus, site) {
    await writePages(corpus, join(site, "src/content/docs"), {
      link: slashedAddressOf,
    });
    await writeFile(join(site, "src/content.config.ts"), collections);
    await writeFile(join(site, "astro.config.mjs"), config);
    await mkdir(join(site, "public"));
    return {
      command: [programOf(join(site, "../.."), "astro"), "build"],
      cwd: site,
      env: { ASTRO_TELEMETRY_DISABLED: "1", NODE_OPTIONS: roomyHeap },
      output: join(site, "dist"),
      caches: [join(site, ".astro"), join(site, "node_modules")],
    };
  },
};
