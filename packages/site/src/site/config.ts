/**
 * A site's configuration, validated and normalized: settings that authors may write in several ways (`logo: "x.svg"` or
 * `{ light, dark }`) have one form here, and absent settings have their defaults.
 */
export interface SiteConfig {
  readonly name: string;
  readonly description?: string;
  readonly theme: ThemeName;
  /** Hex colors with `#`. `primary` in light mode, `light` in dark mode, `dark` for buttons. */
  readonly colors: { readonly primary: string; readonly light: string; readonly dark: string };
  readonly logo?: Themed & { readonly href?: string };
  readonly favicon?: Themed;
  readonly appearance: {
    readonly default: "system" | "light" | "dark";
    /** Whether readers are prevented from switching. */
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
    /** Addresses by the key of the network (`github`, `x`, ...). */
    readonly socials: Readonly<Record<string, string>>;
    readonly columns: readonly {
      readonly header?: string;
      readonly items: readonly { readonly label: string; readonly href: string }[];
    }[];
  };
  readonly banner?: {
    /** The banner's text in basic MDX. */
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
     * Whether `404.html` redirects to the home page. The format does so by default; a bundle does not, so that the
     * reader sees the wrong address.
     */
    readonly redirect: boolean;
    readonly title?: string;
    readonly description?: string;
  };
  readonly drilldown?: boolean;
  readonly searchPrompt?: string;
  readonly showTimestamps: boolean;
  /** Whether each page ends with links for editing it and for raising an issue. */
  readonly feedback: { readonly suggestEdit: boolean; readonly raiseIssue: boolean };
  /** `markdown.instructions`: instructions for agents that read the Markdown of pages. */
  readonly agentInstructions?: string;
  /** The variables that are replaced in pages, as `{{name}}`; no other names are. */
  readonly variables: Readonly<Record<string, string>>;
  /** `styling.codeblocks`: a Shiki theme, or a pair of themes. */
  readonly codeTheme?: Themed;
  /** `styling.latex`: whether `$x$` in pages is a formula. */
  readonly hasFormulas: boolean;
  /**
   * Sections, as authored, that this type does not cover entirely: `api`, `integrations`, `thumbnails`, and also
   * `contextual`, `styling`, `seo`, `search`, `metadata` with their other settings.
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

/** One value for each color scheme; the same in both if the author gave only one. */
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
  /** Names of built-in entries, and the author's own entries. */
  readonly options: readonly (string | ContextualOption)[];
  /** The position of the menu: next to the title, or in the table of contents. */
  readonly display: "header" | "toc";
}

export interface ContextualOption {
  readonly title: string;
  readonly description?: string;
  readonly icon?: string;
  /** May contain `$page`, `$path` and `$mcp`, like the values of `query`. */
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
