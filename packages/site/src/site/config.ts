/**
 * A site's configuration, validated and normalized. Settings that authors may write in several ways (`logo: "x.svg"` or
 * `{ light, dark }`) have a single form here, and omitted settings have their defaults.
 */
export interface SiteConfig {
  readonly name: string;
  readonly description?: string;
  readonly theme: ThemeName;
  /** Hexadecimal colors with `#`. `primary` is used in light mode, `light` in dark mode, and `dark` for buttons. */
  readonly colors: { readonly primary: string; readonly light: string; readonly dark: string };
  readonly logo?: Themed & { readonly href?: string };
  readonly favicon?: Themed;
  readonly appearance: {
    readonly default: "system" | "light" | "dark";
    /** Whether readers are prevented from switching the color scheme. */
    readonly strict: boolean;
  };
  readonly fonts?: { readonly heading?: Font; readonly body?: Font };
  readonly iconLibrary: "fontawesome" | "lucide" | "tabler";
  readonly background: {
    readonly decoration?: "gradient" | "grid" | "windows";
    readonly color?: Partial<Themed>;
    readonly image?: Themed;
  };
  readonly eyebrows: "section" | "breadcrumbs";
  readonly navbar: {
    readonly links: readonly NavbarLink[];
    readonly primary?: NavbarLink;
  };
  readonly footer: {
    /** Addresses, keyed by network (`github`, `x`, ...). */
    readonly socials: Readonly<Record<string, string>>;
    readonly columns: readonly {
      readonly header?: string;
      readonly items: readonly { readonly label: string; readonly href: string }[];
    }[];
  };
  readonly banner?: {
    /** The banner's text, written in basic MDX. */
    readonly content: string;
    readonly dismissible: boolean;
    readonly type: "info" | "warning" | "critical";
    readonly color?: Partial<Themed>;
  };
  readonly contextual: ContextualMenu;
  readonly seo: {
    readonly indexing: "navigable" | "all";
    readonly metatags: Readonly<Record<string, string>>;
    /** The publisher, for structured data. */
    readonly organization?: {
      readonly id?: string;
      readonly name?: string;
      readonly legalName?: string;
      readonly url?: string;
      readonly logo?: string;
      readonly sameAs?: readonly string[];
    };
  };
  readonly notFound: {
    /**
     * Whether `404.html` redirects to the home page. The format's default is to redirect. A bundle does not redirect by
     * default, so that readers see which address is wrong.
     */
    readonly redirect: boolean;
    readonly title?: string;
    readonly description?: string;
  };
  readonly drilldown?: boolean;
  readonly searchPrompt?: string;
  readonly showTimestamps: boolean;
  /** Whether each page ends with links to edit the page and to raise an issue. */
  readonly feedback: { readonly suggestEdit: boolean; readonly raiseIssue: boolean };
  /** `markdown.instructions`: instructions for agents that read the Markdown of pages. */
  readonly agentInstructions?: string;
  /** The variables that are replaced in pages, where they are written as `{{name}}`. Other names are not replaced. */
  readonly variables: Readonly<Record<string, string>>;
  /** `styling.codeblocks`: a Shiki theme or a pair of themes. */
  readonly codeTheme?: Themed;
  /** `styling.latex`: whether `$x$` in a page is a formula. */
  readonly hasFormulas: boolean;
  /**
   * The sections that this type does not cover, as authored: `api`, `integrations` and `thumbnails`, and the other
   * settings of `contextual`, `styling`, `seo`, `search` and `metadata`.
   */
  readonly extra: Readonly<Record<string, unknown>>;
}

export const themeNames = [
  "mint",
  "maple",
  "palm",
  "willow",
  "linden",
  "almond",
  "aspen",
  "sequoia",
  "luma",
] as const;
export type ThemeName = (typeof themeNames)[number];

/** A value for each color scheme. Both are equal if the author set only one value. */
export interface Themed {
  readonly light: string;
  readonly dark: string;
}

export interface Font {
  readonly family: string;
  readonly weight?: number;
  readonly source?: string;
  readonly format?: "woff" | "woff2";
}

export interface ContextualMenu {
  /** The names of built-in entries, and the author's own entries. */
  readonly options: readonly (string | ContextualOption)[];
  /** The position of the menu: next to the title, or in the table of contents. */
  readonly display: "header" | "toc";
}

export interface ContextualOption {
  readonly title: string;
  readonly description?: string;
  readonly icon?: string;
  /** The address. Like the values of `query`, it may contain `$page`, `$path` and `$mcp`. */
  readonly href: string;
  readonly query: readonly (readonly [key: string, value: string])[];
}

export interface NavbarLink {
  readonly type: "link" | "button" | "github" | "discord";
  readonly label: string;
  readonly href: string;
  readonly icon?: string;
  readonly iconType?: string;
}
