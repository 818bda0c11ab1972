import type { AddressForm, Problem, ProblemLocation } from "../core/index.ts";
import type { ContextualMenu, SiteConfig } from "./config.ts";

/** A documentation site as its folder describes it, before any page is rendered. */
export interface Site {
  /** Absolute path of the site's folder. Never shown to a reader. */
  readonly root: string;
  /** `docs.json`, `mint.json`, or `none` for a plain folder of Markdown. */
  readonly configFile: "docs.json" | "mint.json" | "none";
  readonly config: SiteConfig;
  /** Positions for messages; absent if they were not collected. */
  readonly configPlaces?: ConfigLocations;
  /** Every page that is exported, sorted by `path`; unlisted ones included. */
  readonly pages: readonly SitePage[];
  /** The root of the navigation tree. */
  readonly navigation: NavDivision;
  readonly redirects: readonly SiteRedirect[];
  /** Files that are copied unchanged (images, fonts, downloads), sorted, relative to `root`. */
  readonly assets: readonly string[];
  /**
   * Files in folders that are ignored unless something names them (`build/`, `dist/`), sorted, relative to `root`: they
   * are copied if a page or a copied file names them. Absent if there are none.
   */
  readonly spareAssets?: readonly string[];
  /** `.css` and `.js` files, injected into every page as the format does; relative to `root`. */
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly problems: readonly Problem[];
  /** The form of page addresses; `file` if absent. */
  readonly addresses?: AddressForm | undefined;
  /** Address for editing a page's file, with `{path}` for its path below `root`; absent if unknown or disabled. */
  readonly editUrl?: string;
  /** Address for reporting an issue with a page, with `{title}` for its title. */
  readonly issueUrl?: string;
}

/** Positions in the configuration of the things that it names. */
export interface ConfigLocations {
  readonly icons: ReadonlyMap<string, Required<ProblemLocation>>;
  /** Positions of addresses of pages, files and other sites, by the address as written. */
  readonly addresses: ReadonlyMap<string, Required<ProblemLocation>>;
  /** Positions of redirects, by their source. */
  readonly redirects: ReadonlyMap<string, Required<ProblemLocation>>;
}

export interface SitePage {
  /** The path as navigation names it: `guides/start`; no leading slash, no extension. Determines the URL. */
  readonly path: string;
  /** Source file relative to the site's root: `guides/start.mdx`. */
  readonly file: string;
  /**
   * Set if the page is generated from an API description: `file` is the description and does not contain the page's
   * text.
   */
  readonly isGenerated?: true;
  readonly format: "mdx" | "md";
  readonly frontmatter: Frontmatter;
  /**
   * `title`, otherwise `sidebarTitle`, otherwise (in a plain folder) its first heading, otherwise a title derived from
   * the file's name.
   */
  readonly title: string;
  /** 1-based line of the heading that is the title: it is shown as the page's title and not repeated in the article. */
  readonly titleLine?: number;
  /** The title in the navigation: `sidebarTitle`, otherwise `title`. */
  readonly navTitle: string;
  /** The page's positions in the navigation; empty for an unlisted page. The first is the canonical one. */
  readonly places: readonly NavPosition[];
  /** Whether navigation omits the page: because of its frontmatter or its position, or because it is not listed. */
  readonly hidden: boolean;
  /** Whether the page is in the sitemap, llms.txt and llms-full.txt. */
  readonly indexed: boolean;
  /** Whether the site's own search finds the page. */
  readonly searchable: boolean;
  /** Whether search engines may index the page; if not, its head says `noindex`. */
  readonly crawlable?: boolean;
  /** Factor for the page's rank in search, its own or that of its group; 1 if absent. */
  readonly boost?: number;
  /**
   * Day of the last change of the page's file, such as `2026-11-20`; set only if it is known, the page or the sitemap
   * shows one, and the frontmatter has none.
   */
  readonly changedOn?: string;
  /**
   * The language of the navigation division that contains the page; undefined on a site with one language or version.
   */
  readonly language?: string;
  readonly version?: string;
}

/**
 * Indexes from the navigation's root: `divisions` lead to a division, `entries` within it to the page or to the group
 * whose root it is. `entries` is empty for a page that hides itself by frontmatter: it belongs to that division, whose
 * sidebar does not show it.
 */
export interface NavPosition {
  readonly divisions: readonly number[];
  readonly entries: readonly number[];
}

/**
 * A part of the navigation that readers switch to: a tab, a version, a language... The root has the kind `root`. A
 * division contains further divisions, or entries (its sidebar), or both.
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
  /** The label that readers see; for a language its code (`en`), which is shown as the language's own name. */
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
  /** Language-level overrides of the site's own settings. */
  readonly overrides?: Pick<Partial<SiteConfig>, "banner" | "footer" | "navbar">;
}

/**
 * The way in which the root page of a group lists the group's entries. A level without it inherits it from the level
 * above; the default is `none`.
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

/** A redirect, with `source` and `destination` as authored; wildcards `:slug*`, `:name` and `*` are kept. */
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
  /** Replaces the menu of the site. */
  readonly contextual?: ContextualMenu;
  readonly extra: Readonly<Record<string, unknown>>;
}
