import { components } from "../../packages/site/src/components/index.ts";
import { createIconRenderer, getLanguageWords } from "../../packages/site/src/markup/index.ts";
import { readApiSettings } from "../../packages/site/src/reference/index.ts";
import type { ApiSubject } from "../../packages/site/src/openapi/index.ts";
import { createHighlighter } from "../../packages/site/src/highlight/testing.ts";
import {
  createDiagrams,
  createFormulas,
  renderPage,
} from "../../packages/site/src/article/index.ts";
import { createSiteLinks } from "../../packages/site/src/site/index.ts";
import type { PageContent } from "../../packages/site/src/page/index.ts";
import type { Frontmatter, SitePage } from "../../packages/site/src/site/index.ts";
import { allWords } from "../../packages/site/src/markup/testing.ts";
import { patienceMs } from "./patience.ts";

export interface ApiPageOptions {
  /** The author's text, without frontmatter. */
  readonly source?: string;
  readonly frontmatter?: Partial<Frontmatter>;
  /** The `api` section of the configuration, as authored. */
  readonly api?: unknown;
  readonly language?: string;
}

/** Renders a subject as the page `/api/page` of a site that also has `/catalog`. */
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
    diagrams: createDiagrams({ maxParseMs: patienceMs }),
    formulas: createFormulas(),
    words: getLanguageWords(allWords, language),
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
    positions: [],
    hidden: false,
    indexed: true,
    searchable: true,
  };
}

const site = createSiteLinks({
  pages: ["api/page", "catalog"].map((path) => sitePage(path, {})),
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
