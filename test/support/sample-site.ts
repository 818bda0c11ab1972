import { trustHtml } from "../../packages/site/src/markup/index.ts";
import type { PageContent } from "../../packages/site/src/page/index.ts";
import type {
  Frontmatter,
  NavDivision,
  NavEntry,
  NavPosition,
  Site,
  SiteConfig,
  SitePage,
} from "../../packages/site/src/site/index.ts";

/** Values of a site made by hand, for tests of what is built from a `Site`. */

export function sampleConfig(overrides: Partial<SiteConfig> = {}): SiteConfig {
  return {
    name: "Aurora",
    description: "Weather data for people who build things.",
    theme: "mint",
    colors: { primary: "#0f766e", light: "#2dd4bf", dark: "#0f766e" },
    appearance: { default: "system", strict: false },
    iconLibrary: "lucide",
    background: {},
    eyebrows: "section",
    navbar: { links: [] },
    footer: { socials: {}, columns: [] },
    contextual: { options: [], display: "header" },
    seo: { indexing: "navigable", metatags: {} },
    notFound: { redirect: false },
    showTimestamps: false,
    feedback: { suggestEdit: false, raiseIssue: false },
    variables: {},
    hasFormulas: true,
    extra: {},
    ...overrides,
  };
}

export function division(
  kind: NavDivision["kind"],
  label: string,
  parts: Partial<NavDivision> = {},
): NavDivision {
  return { kind, label, hidden: false, isDefault: false, divisions: [], entries: [], ...parts };
}

export function group(
  label: string,
  entries: readonly (NavEntry | string)[],
  parts: Partial<Extract<NavEntry, { type: "group" }>> = {},
): NavEntry {
  return {
    type: "group",
    label,
    expanded: false,
    hidden: false,
    entries: entries.map((entry) =>
      typeof entry === "string" ? { type: "page" as const, path: entry } : entry,
    ),
    ...parts,
  };
}

export interface SampleSite {
  readonly config?: Partial<SiteConfig>;
  readonly navigation: NavDivision;
  /** By path; pages that navigation names and that are not here get a title made of their path. */
  readonly frontmatter?: Readonly<Record<string, Partial<Frontmatter>>>;
  /** Paths of pages that navigation does not name. */
  readonly unlisted?: readonly string[];
  readonly parts?: Partial<Site>;
}

export function sampleSite({ config, navigation, frontmatter, unlisted, parts }: SampleSite): Site {
  const positions = new Map<string, NavPosition[]>();
  const context = new Map<string, { language?: string; version?: string }>();
  const record = (
    path: string,
    position: NavPosition,
    at: { language?: string; version?: string },
  ) => {
    positions.set(path, [...(positions.get(path) ?? []), position]);
    if (!context.has(path)) context.set(path, at);
  };
  const visitEntries = (
    entries: readonly NavEntry[],
    position: NavPosition,
    at: { language?: string; version?: string },
  ) => {
    for (const [index, entry] of entries.entries()) {
      const here = { divisions: position.divisions, entries: [...position.entries, index] };
      if (entry.type === "page") record(entry.path, here, at);
      if (entry.type !== "group") continue;
      if (entry.root !== undefined) record(entry.root, here, at);
      visitEntries(entry.entries, here, at);
    }
  };
  const visit = (
    node: NavDivision,
    divisions: readonly number[],
    around: { language?: string; version?: string },
  ) => {
    const at = {
      ...around,
      ...(node.kind === "language" && { language: node.label }),
      ...(node.kind === "version" && { version: node.label }),
    };
    visitEntries(node.entries, { divisions, entries: [] }, at);
    for (const [index, inner] of node.divisions.entries()) visit(inner, [...divisions, index], at);
  };
  visit(navigation, [], {});
  for (const path of unlisted ?? []) positions.set(path, []);
  const pages = Array.from(positions, ([path, where]) =>
    samplePage(path, where, { ...frontmatter?.[path], context: context.get(path) }),
  );
  return {
    root: "/nowhere",
    configFile: "docs.json",
    config: sampleConfig(config),
    pages: pages.toSorted((left, right) => (left.path < right.path ? -1 : 1)),
    navigation,
    redirects: [],
    assets: [],
    styles: [],
    scripts: [],
    problems: [],
    ...parts,
  };
}

function samplePage(
  path: string,
  positions: readonly NavPosition[],
  values: Partial<Frontmatter> & { context: { language?: string; version?: string } | undefined },
): SitePage {
  const { context, ...own } = values;
  const frontmatter: Frontmatter = { extra: {}, ...own };
  const name = path.slice(path.lastIndexOf("/") + 1).replaceAll("-", " ");
  const title = frontmatter.title ?? name.charAt(0).toUpperCase() + name.slice(1);
  return {
    path,
    file: `${path}.mdx`,
    format: "mdx",
    frontmatter,
    title,
    navTitle: frontmatter.sidebarTitle ?? title,
    positions,
    hidden: frontmatter.hidden ?? false,
    indexed: frontmatter.hidden !== true,
    searchable: frontmatter.hidden !== true,
    ...context,
  };
}

/** `html` is what a test writes as a page's content. */
export function sampleContent(html: string, parts: Partial<PageContent> = {}): PageContent {
  return {
    html: trustHtml(html),
    markdown: "",
    outline: [],
    anchors: [],
    references: [],
    icons: [],
    scripts: [],
    sections: [],
    problems: [],
    barriers: [],
    dependencies: {},
    ...parts,
  };
}
