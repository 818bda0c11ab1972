import type { AddressForm, Problem, ProblemLocation, RedirectRule } from "../core/index.ts";
import type { ContextualMenu, SiteConfig } from "./config.ts";

/** A documentation site read from its folder, before any page is rendered. */
export interface Site {
  /** The absolute path of the site's folder, which is never shown to readers. */
  readonly root: string;
  /** `docs.json`, `mint.json`, or `none` for a plain folder of Markdown. */
  readonly configFile: "docs.json" | "mint.json" | "none";
  readonly config: SiteConfig;
  /** Positions in the configuration, for messages; undefined if they were not collected. */
  readonly configPositions?: ConfigLocations;
  /** All exported pages, including unlisted ones, sorted by `path`. */
  readonly pages: readonly SitePage[];
  /** The root of the navigation tree. */
  readonly navigation: NavDivision;
  readonly redirects: readonly SiteRedirect[];
  /** The files that are copied unchanged (images, fonts, downloads), sorted and relative to `root`. */
  readonly assets: readonly string[];
  /**
   * Files in folders that are ignored by default (`build/`, `dist/`), sorted and relative to `root`. They are copied if
   * a page or a copied file references them. Absent if there are none.
   */
  readonly spareAssets?: readonly string[];
  /** `.css` and `.js` files, injected into every page as the format does; relative to `root`. */
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  readonly problems: readonly Problem[];
  /**
   * The paths on its host under which the site is served, such as `docs`, without leading and trailing slashes. The
   * address `/docs/x` refers to `/x` unless the site itself has `docs/x`. Absent if there are none.
   */
  readonly basePaths?: readonly string[];
  /** The form of page addresses; `file` if absent. */
  readonly addresses?: AddressForm | undefined;
  /**
   * The address for editing a page's file, in which `{path}` represents its path below `root`. Undefined if it is
   * unknown or disabled.
   */
  readonly editUrl?: string;
  /** The address for reporting an issue with a page, in which `{title}` represents its title. */
  readonly issueUrl?: string;
}

/** The positions at which the configuration names pages, files and other items. */
export interface ConfigLocations {
  readonly icons: ReadonlyMap<string, Required<ProblemLocation>>;
  /** The positions of addresses of pages, files and other sites, keyed by the authored address. */
  readonly addresses: ReadonlyMap<string, Required<ProblemLocation>>;
  /** The positions of redirects, keyed by source. */
  readonly redirects: ReadonlyMap<string, Required<ProblemLocation>>;
  /** The positions of texts that may contain links, keyed by the authored text. */
  readonly texts: ReadonlyMap<string, Required<ProblemLocation>>;
}

export interface SitePage {
  /**
   * The path that the navigation uses, e.g. `guides/start`, without a leading slash or extension. It determines the
   * URL.
   */
  readonly path: string;
  /** The source file relative to the site's root, e.g. `guides/start.mdx`. */
  readonly file: string;
  /**
   * Set if the page is generated from an API description. In this case, `file` is the description and does not contain
   * the page's text.
   */
  readonly isGenerated?: true;
  readonly format: "mdx" | "md";
  readonly frontmatter: Frontmatter;
  /**
   * The page's title, which is the first of these that exists: `title` in the frontmatter, `sidebarTitle`, the first
   * heading (only in a plain folder), and a title derived from the file's name.
   */
  readonly title: string;
  /**
   * The 1-based line of the heading from which the title is taken. The heading is shown as the page's title and not
   * repeated in the article.
   */
  readonly titleLine?: number;
  /** The title in the navigation, which is `sidebarTitle` or, if that is not set, the page's title. */
  readonly navTitle: string;
  /**
   * The page's positions in the navigation. The first one is the canonical position. The list is empty for an unlisted
   * page.
   */
  readonly positions: readonly NavPosition[];
  /** Whether the navigation omits the page because of its frontmatter or its position, or because it is not listed. */
  readonly hidden: boolean;
  /** Whether the page is in the sitemap, llms.txt and llms-full.txt. */
  readonly indexed: boolean;
  /** Whether the site's own search finds the page. */
  readonly searchable: boolean;
  /** Whether search engines may index the page. If not, the page's head contains `noindex`. */
  readonly crawlable?: boolean;
  /** The factor for the page's rank in search, set by the page or its group. Defaults to 1. */
  readonly boost?: number;
  /**
   * The day of the last change of the page's file, such as `2026-11-20`. Set only if it is known, the page or the
   * sitemap shows a day, and the frontmatter contains no date.
   */
  readonly changedOn?: string;
  /**
   * The language of the navigation division that contains the page. Undefined on a site with only one language. The
   * same applies to `version`.
   */
  readonly language?: string;
  readonly version?: string;
}

/**
 * A position as indexes from the navigation's root. `divisions` lead to a division. `entries` lead, within the
 * division, to the page or to the group whose root it is. For a page that is hidden by its frontmatter, `entries` is
 * empty, because the page belongs to the division but the division's sidebar does not show it.
 */
export interface NavPosition {
  readonly divisions: readonly number[];
  readonly entries: readonly number[];
}

/**
 * A part of the navigation to which readers can switch, such as a tab, a version or a language. The root has the kind
 * `root`. A division contains further divisions, entries (its sidebar), or both.
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
  /** The label that readers see. For a language, it is the code (`en`), which is shown as the language's own name. */
  readonly label: string;
  readonly description?: string;
  readonly icon?: string;
  readonly iconType?: string;
  readonly tag?: string;
  /** The address of a division that is a link and has no pages. */
  readonly href?: string;
  readonly hidden: boolean;
  readonly isDefault: boolean;
  readonly divisions: readonly NavDivision[];
  readonly entries: readonly NavEntry[];
  readonly directory?: NavDirectory;
  /** Overrides of the site's settings for a language. */
  readonly overrides?: Pick<Partial<SiteConfig>, "banner" | "footer" | "navbar">;
}

/**
 * The form in which the root page of a group lists the group's entries. A level that does not set it inherits it from
 * the level above. Defaults to `none`.
 */
export type NavDirectory = "none" | "accordion" | "card";

export type NavEntry = NavGroup | NavPage | NavLink;

export interface NavGroup {
  readonly type: "group";
  readonly label: string;
  readonly icon?: string;
  readonly iconType?: string;
  readonly tag?: string;
  /** The path of the page to which the group's name links. */
  readonly root?: string;
  readonly directory?: NavDirectory;
  readonly expanded: boolean;
  readonly hidden: boolean;
  readonly entries: readonly NavEntry[];
}

interface NavPage {
  readonly type: "page";
  /** The page's `SitePage.path`. */
  readonly path: string;
}

/** A page whose frontmatter contains `url`, or a navigation entry that is a link. */
interface NavLink {
  readonly type: "link";
  readonly label: string;
  readonly href: string;
  readonly icon?: string;
  readonly iconType?: string;
  readonly tag?: string;
}

/** A redirect, with wildcards `:slug*`, `:name` and `*`; addresses do not begin with a base path of the site. */
export interface SiteRedirect {
  readonly source: string;
  readonly destination: string;
  readonly permanent: boolean;
  /** The addresses as authored, if they begin with a base path. */
  readonly authored?: { readonly source: string; readonly destination: string };
  /** The rule of a redirect that comes from the file `_redirects`. */
  readonly rule?: Pick<RedirectRule, "line" | "status" | "isForced">;
}

/** The validated values of the keys that the renderer supports. All other keys are in `extra`, unchanged. */
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
  /** The menu that replaces the site's menu on this page. */
  readonly contextual?: ContextualMenu;
  readonly extra: Readonly<Record<string, unknown>>;
}
