import { sha256 } from "../core/index.ts";
import type { BundleFile, Problem } from "../core/index.ts";
import { iconStyles } from "../markup/index.ts";
import { copyFinder } from "../site/index.ts";
import type { RemoteMedia } from "./media/remote-media.ts";
import { report, siteOutputs } from "../outputs/index.ts";
import { codeStyles, loadPalettes } from "../highlight/index.ts";
import type { KeptIndexes } from "../search/index.ts";
import { searchFiles } from "../search/index.ts";
import type { Site } from "../site/index.ts";
import { changelogTags, notFoundScript, siteIcons, themeFiles } from "../theme/index.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import { listRemoteMedia } from "./page-media.ts";
import type { MadePage } from "./place-documents.ts";
import type { RenderOptions } from "./render-options.ts";
import type { SharedParts } from "./shared-parts.ts";

/** Of longer files, of which a bundle has few, no hash is made. */
const hashedLength = 4 * 1024 * 1024;

/** Brings into the bundle what all pages share, but where the site has a file of its own. */
export async function placeSharedFiles(
  bundle: BundleFolder,
  ...input: Parameters<typeof sharedFiles>
): Promise<void> {
  for (const file of await sharedFiles(...input)) {
    if (!bundle.isTaken(file.path)) bundle.place(file, identityOf(file));
  }
}

/** Of a file that does not say what it is made of the content tells: a hash of it costs less than writing it. */
function identityOf(file: BundleFile): string | undefined {
  if (file.identity !== undefined || file.parts) return file.identity;
  // Not before: it may have to be made.
  const { content } = file;
  return content.length > hashedLength ? undefined : sha256(content).slice(0, 32);
}

async function sharedFiles(
  site: Site,
  pages: readonly MadePage[],
  input: {
    readonly shared: SharedParts;
    readonly media: RemoteMedia | undefined;
    readonly problems: readonly Problem[];
    readonly indexes: KeptIndexes | undefined;
    readonly options: RenderOptions;
  },
): Promise<BundleFile[]> {
  const { shared, media, problems, indexes, options } = input;
  const { icons, remoteMedia, mediaCopies, configured } = shared;
  const copyOf = copyFinder(remoteMedia, mediaCopies);
  const pageIcons = pages.flatMap((entry) => entry.rendered.icons);
  const iconCss = await iconStyles([...siteIcons(site, icons).keys, ...pageIcons]);
  const classNames = new Set(pages.flatMap((entry) => entry.rendered.classNames));
  const tagCount = pages.reduce(
    (most, { rendered }) => Math.max(most, changelogTags(rendered.changes).length),
    0,
  );
  const { codeTheme } = site.config;
  const codeCss = codeStyles(codeTheme && (await loadPalettes(codeTheme)));
  const checks = options.check ? ["links", "anchors", "media"] : [];
  return [
    ...(await themeFiles(site, { iconCss, codeCss, classNames, icons, copyOf, tagCount })),
    ...(await searchFiles(site, pages, indexes)),
    ...siteOutputs(site, pages, shared),
    { path: "404.html", content: shared.layout.notFound() },
    await notFoundScript(site),
    report(site, pages, {
      checked: ["configuration", "navigation", "pages", ...checks],
      notChecked: ["external_links"],
      problems,
      remoteMedia: { mode: remoteMedia, files: listRemoteMedia({ pages, configured, media }) },
    }),
  ];
}
