import type { ThemeRegistration } from "shiki/core";
import classes from "./token-classes.json" with { type: "json" };

/**
 * A class of tokens. Shiki colors tokens with a theme. Octavo's theme has one "color" per class, so that one pass over
 * the code is enough for both light and dark, and only the style sheet determines the appearance.
 */
interface TokenClass {
  /**
   * The class of the `<span>`. It is a single letter because a page can have thousands of spans. The theme must not use
   * the same letter.
   */
  readonly name: string;
  /** TextMate scopes. As in any theme, the most specific one takes precedence. The first scope represents the class. */
  readonly scopes: readonly string[];
  readonly light: string;
  readonly dark: string;
  readonly style?: string;
}

/**
 * The classes of tokens. The class without a name contains operators and the text around embedded expressions. They are
 * not colored, because spans around them would double the size of some blocks.
 */
export const tokenClasses: readonly TokenClass[] = classes;

/** Formats a color of the synthetic theme. Colors are in the order of `tokenClasses`, and color 0 is the default. */
function formatColor(index: number): string {
  return `#${(index + 1).toString(16).padStart(6, "0")}`;
}

export const themeName = "octavo";

/** The theme that is passed to the highlighter. */
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

/** Returns the class for a color of the theme, or an empty string for plain text. */
export function getColorClass(color: string | undefined): string {
  const index = color === undefined ? -1 : Number.parseInt(color.slice(1), 16) - 1;
  return tokenClasses[index]?.name ?? "";
}
