import type { ThemeRegistration } from "shiki/core";
import classes from "./token-classes.json" with { type: "json" };

/**
 * A class of tokens. Shiki colors tokens by a theme; ours has one "color" per class, so one pass over the code serves
 * light and dark, and only the style sheet decides the appearance.
 */
interface TokenClass {
  /** The class of the `<span>`: one letter, since a page can have thousands, and not one that the theme uses. */
  readonly name: string;
  /** TextMate scopes; the most specific one wins, as in any theme. The first one represents the class. */
  readonly scopes: readonly string[];
  readonly light: string;
  readonly dark: string;
  readonly style?: string;
}

/**
 * The one without a name is of operators and the text around embedded expressions, which stay plain: a span each would
 * double some blocks.
 */
export const tokenClasses: readonly TokenClass[] = classes;

/** Formats a color of the synthetic theme, in order of `tokenClasses`; color 0 is the default. */
function formatColor(index: number): string {
  return `#${(index + 1).toString(16).padStart(6, "0")}`;
}

export const themeName = "octavo";

/** The theme passed to the highlighter. */
export const tokenTheme: ThemeRegistration = {
  name: themeName,
  type: "light",
  fg: "#000000",
  bg: "#ffffff",
  settings: [
    { settings: { foreground: "#000000", background: "#ffffff" } },
    ...tokenClasses.map(({ scopes }, index) => ({
      scope: [...scopes],
      settings: { foreground: formatColor(index) },
    })),
  ],
};

/** Returns the class for a color of the theme; empty for plain text. */
export function getColorClass(color: string | undefined): string {
  const index = color === undefined ? -1 : Number.parseInt(color.slice(1), 16) - 1;
  return tokenClasses[index]?.name ?? "";
}
