import { access, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { slashedAddressOf, writePages } from "../corpus.ts";
import type { Peer } from "./peer.ts";
import { run } from "./run.ts";

const version = "0.111.3";
/** Debian's packages of it and of the libraries that a system without a desktop lacks. */
const packages = [`hugo=${version}-1`, "libsass1", "libwebp7"];

const config = `baseURL = "https://docs.example.com/"
title = "Corpus"
disableKinds = ["taxonomy", "term", "RSS"]
[markup.highlight]
noClasses = false
`;

const layout = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{{ .Title }}</title>
{{ with .Description }}<meta name="description" content="{{ . }}">{{ end }}
<link rel="stylesheet" href="/highlight.css">
</head>
<body>
<nav>{{ range .CurrentSection.RegularPages }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</nav>
<main><h1>{{ .Title }}</h1>{{ .Content }}</main>
<aside>{{ .TableOfContents }}</aside>
</body>
</html>
`;

/** The fastest generator there is, with the least of a layout: a compiled program, and no search. */
export const hugo: Peer = {
  name: "Hugo",
  version: `${version} (Debian 12)`,
  setup:
    "a layout of ten lines (links to the pages of the section, table of contents), highlighting with classes; no search, no theme",
  async install(folder) {
    const program = programIn(folder);
    if (
      await access(program).then(
        () => true,
        () => false,
      )
    )
      return;
    const downloads = join(folder, "packages");
    await mkdir(downloads, { recursive: true });
    // Debian's package manager drops its rights for a download, and warns where it cannot.
    await run(["apt-get", "download", "-o", "APT::Sandbox::User=root", ...packages], downloads);
    for (const name of await readdir(downloads)) {
      await run(["dpkg", "-x", join(downloads, name), folder], folder);
    }
    await rm(downloads, { recursive: true });
  },
  async prepare(corpus, site) {
    const [output, cache] = [join(site, "out"), join(site, "cache")];
    const layouts = join(site, "layouts/_default");
    await writePages(corpus, join(site, "content"), {
      link: slashedAddressOf,
      // A page named index would make the rest of its folder its attachments.
      fileOf: (name) => name.replace(/(^|\/)index$/, "$1_index"),
    });
    await mkdir(layouts, { recursive: true });
    await writeFile(join(layouts, "single.html"), layout);
    await writeFile(join(layouts, "list.html"), layout);
    await writeFile(join(site, "config.toml"), config);
    const program = programIn(join(site, "../.."));
    const libraries = join(site, "../../usr/lib");
    const [architecture = ""] = await readdir(libraries);
    const env = { LD_LIBRARY_PATH: join(libraries, architecture) };
    const styles = await run([program, "gen", "chromastyles", "--style=github"], site, env);
    await mkdir(join(site, "static"));
    await writeFile(join(site, "static/highlight.css"), styles);
    return {
      command: [program, "--quiet", "--destination", output, "--cacheDir", cache],
      cwd: site,
      env,
      output,
      caches: [cache, join(site, "resources")],
    };
  },
};

function programIn(folder: string): string {
  return join(folder, "usr/bin/hugo");
}
