import type { AddressForm, Problem, ProblemPlace } from "../core/index.ts";
import type { ContextualMenu, SiteConfig } from "./config.ts";

/** A documentation site as its folder describes it, before any page is rendered. */
export interface Site {
  /** Absolute path of the site's folder. Never shown to a reader. */
  readonly root: string;
  /** `docs.json`, `mint.json`, or `none` for a plain folder of Markdown. */
  readonly configFile: "docs.json" | "mint.json" | "none";
  readonly config: SiteConfig;
  /** For messages; none where nobody looked for them. */
  readonly configPlaces?: ConfigPlaces;
  /** Every page that is exported, sorted by `path`; unlisted ones included. */
  readonly pages: readonly SitePage[];
  /** The root of the navigation tree. */
  readonly navigation: NavDivision;
  readonly redirects: readonly SiteRedirect[];
  /** Files that are copied as they are (images, fonts, downloads), sorted, relative to `root`. */
  readonly assets: readonly string[];
  /** Root-level `.css` and `.js` files, injected into every page as the format does; relative to `root`. */
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly problems: readonly Problem[];
  /** How pages are addressed; `file` if absent. */
  readonly addresses?: AddressForm | undefined;
  /** Address for editing a page's file, with `{path}` for its path below `root`; absent if unknown or not wanted. */
  readonly editUrl?: string;
  /** Address for reporting an issue of a page, with `{title}` for its title. */
  readonly issueUrl?: string;
}

/** Where the configuration names something, by what it names. */
export interface ConfigPlaces {
  readonly icons: ReadonlyMap<string, Required<ProblemPlace>>;
  /** Of pages, files and other sites, as written. */
  readonly addresses: ReadonlyMap<string, Required<ProblemPlace>>;
  /** Of redirects, by where they lead from. */
  readonly redirects: ReadonlyMap<string, Required<ProblemPlace>>;
}

export interface SitePage {
  /** As navigation names it: `guides/start`; no leading slash, no extension. Decides the URL. */
  readonly path: string;
  /** Source file relative to the site's root: `guides/start.mdx`. */
  readonly file: string;
  /** Generated from an API description: `file` is the description and does not contain the page's text. */
  readonly isGenerated?: true;
  readonly format: "mdx" | "md";
  readonly frontmatter: Frontmatter;
  /** `title`, else `sidebarTitle`, else (in a plain folder) its first heading, else a title made of the file's name. */
  readonly title: string;
  /** 1-based line of the heading that is the title: it is shown as the page's title and not again in the article. */
  readonly titleLine?: number;
  /** What navigation shows: `sidebarTitle`, else the title. */
  readonly navTitle: string;
  /** Its places in the navigation; empty for an unlisted page. The first is the canonical one. */
  readonly places: readonly NavPlace[];
  /** Not shown in navigation: by its frontmatter, by its place, or because it is not listed. */
  readonly hidden: boolean;
  /** In the sitemap, llms.txt and llms-full.txt. */
  readonly indexed: boolean;
  /** In the site's own search. */
  readonly searchable: boolean;
  /** Whether search engines may index it; if not, its head says `noindex`. */
  readonly crawlable?: boolean;
  /** Factor of its rank in search, its own or that of its group; 1 if absent. */
  readonly boost?: number;
  /** Day of the last change of its file, `2026-11-20`; set only if it is known, the page or the sitemap has one, and frontmatter has none. */
  readonly changedOn?: string;
  /** From the navigation division that contains it; undefined on a site of one language or version. */
  readonly language?: string;
  readonly version?: string;
}

/**
 * Indexes from the navigation's root: `divisions` lead to a division, `entries` within it to the page
 * or to the group whose root it is. `entries` is empty for a page that hides itself by frontmatter: it
 * belongs to that division, whose sidebar does not show it.
 */
export interface NavPlace {
  readonly divisions: readonly number[];
  readonly entries: readonly number[];
}

/**
 * A part of the navigation that readers switch to: a tab, a version, a language... The root is of kind
 * `root`. A division contains further divisions, or entries (its sidebar), or both.
 */
export interface NavDivision {
  readonly kind:
    | "root"
    | "language"
    | "version"
    | "product"
    | "tab"
    | "dropdown"
    | "anchor"
    | "item";
  /** What readers see; for a language its code (`en`), shown by its own name. */
  readonly label: string;
  readonly description?: string;
  readonly icon?: string;
  readonly iconType?: string;
  readonly tag?: string;
  /** Set for a division that is a link and has no pages. */
  readonly href?: string;
  readonly hidden: boolean;
  readonly isDefault: boolean;
  readonly divisions: readonly NavDivision[];
  readonly entries: readonly NavEntry[];
  readonly directory?: NavDirectory;
  /** Language-level overrides of the site's own. */
  readonly overrides?: Pick<Partial<SiteConfig>, "banner" | "footer" | "navbar">;
}

/**
 * How the root page of a group lists the group's entries. A level without it inherits it from the one above;
 * the default is `none`.
 */
export type NavDirectory = "none" | "accordion" | "card";

export type NavEntry = NavGroup | NavPage | NavLink;

export interface NavGroup {
  readonly type: "group";
  readonly label: string;
  readonly icon?: string;
  readonly iconType?: string;
  readonly tag?: string;
  /** Path of the page that the group's name links to. */
  readonly root?: string;
  readonly directory?: NavDirectory;
  readonly expanded: boolean;
  readonly hidden: boolean;
  readonly entries: readonly NavEntry[];
}

interface NavPage {
  readonly type: "page";
  /** `SitePage.path` */
  readonly path: string;
}

/** A page whose frontmatter has `url`, or a navigation entry that is a link. */
interface NavLink {
  readonly type: "link";
  readonly label: string;
  readonly href: string;
  readonly icon?: string;
  readonly iconType?: string;
  readonly tag?: string;
}

/** `source` and `destination` as authored; wildcards `:slug*`, `:name` and `*` are kept. */
export interface SiteRedirect {
  readonly source: string;
  readonly destination: string;
  readonly permanent: boolean;
}

/** The keys that the renderer knows, validated; all others are in `extra`, unchanged. */
export interface Frontmatter {
  readonly title?: string;
  readonly description?: string;
  readonly sidebarTitle?: string;
  readonly icon?: string;
  readonly iconType?: string;
  readonly tag?: string;
  readonly mode?: "wide" | "custom" | "frame" | "center" | "assistant";
  readonly hidden?: boolean;
  readonly noindex?: boolean;
  readonly searchable?: boolean;
  readonly deprecated?: boolean;
  readonly url?: string;
  readonly openapi?: string;
  readonly "openapi-schema"?: string;
  readonly asyncapi?: string;
  readonly api?: string;
  readonly keywords?: readonly string[];
  readonly boost?: number;
  readonly canonical?: string;
  readonly rss?: boolean;
  /** Instead of the menu of the site. */
  readonly contextual?: ContextualMenu;
  readonly extra: Readonly<Record<string, unknown>>;
}
