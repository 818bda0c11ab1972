import { components, createIconRenderer } from "../../src/render/components/index.ts";
import { readApiSettings, type ApiSubject } from "../../src/render/openapi/index.ts";
import { createHighlighter } from "../../src/render/page/code/highlighter.ts";
import { createDiagrams } from "../../src/render/page/diagram/draw-diagram.ts";
import { createFormulas } from "../../src/render/page/formula/typeset-formula.ts";
import { createSiteLinks } from "../../src/render/page/markdown/links.ts";
import type { PageContent } from "../../src/render/page/page.ts";
import { renderPage } from "../../src/render/page/render-page.ts";
import type { Frontmatter, SitePage } from "../../src/render/site/site.ts";
import { wordsOf } from "../../src/render/theme/words.ts";

export interface ApiPageOptions {
  /** What its author wrote, without frontmatter. */
  readonly source?: string;
  readonly frontmatter?: Partial<Frontmatter>;
  /** The `api` section of the configuration, as authored. */
  readonly api?: unknown;
  readonly language?: string;
}

/** What a subject becomes as the page `/api/page` of a site that also has `/catalogue`. */
export function renderApiPage(
  subject: ApiSubject | undefined,
  { source = "", frontmatter = {}, api, language }: ApiPageOptions = {},
): Promise<PageContent> {
  const page = sitePage("api/page", frontmatter);
  return renderPage({
    site,
    page: language === undefined ? page : { ...page, language },
    components: byName,
    icons,
    highlighter,
    diagrams: createDiagrams(),
    formulas: createFormulas(),
    words: wordsOf("en"),
    source,
    variables: {},
    readFile: () => Promise.resolve(undefined),
    api: { settings: readApiSettings(api), ...(subject === undefined ? {} : { subject }) },
  });
}

function sitePage(path: string, frontmatter: Partial<Frontmatter>): SitePage {
  return {
    path,
    file: `${path}.mdx`,
    format: "mdx",
    frontmatter: { extra: {}, ...frontmatter },
    title: path,
    navTitle: path,
    places: [],
    hidden: false,
    indexed: true,
    searchable: true,
  };
}

const site = createSiteLinks({
  pages: ["api/page", "catalogue"].map((path) => sitePage(path, {})),
  navigation: {
    kind: "root",
    label: "",
    hidden: false,
    isDefault: true,
    divisions: [],
    entries: [],
  },
  assets: [],
  redirects: [],
});
const byName = new Map(
  components.flatMap((component) => component.names.map((name) => [name, component])),
);
const icons = createIconRenderer({ library: "lucide" });
const highlighter = createHighlighter();
