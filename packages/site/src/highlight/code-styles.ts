import type { ThemeRegistrationAny } from "shiki/core";
import type { Themed } from "../site/index.ts";

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
  /**
   * TextMate scopes. As in any theme, the most specific scope takes precedence. The first scope represents the class.
   */
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

/** The appearance of code in one color scheme. */
interface CodePalette {
  readonly background: string;
  /** Colors, keyed by token class. The empty name is plain text. */
  readonly colors: ReadonlyMap<string, string>;
}

interface CodePalettes {
  readonly light: CodePalette;
  readonly dark: CodePalette;
}

/** Octavo's own palettes, in which every color has a contrast of at least 4.5 on the background. */
export const defaultPalettes: CodePalettes = {
  light: {
    background: "#f7f8fa",
    colors: new Map(tokenClasses.map(({ name, light }) => [name, light])),
  },
  dark: {
    background: "#14171c",
    colors: new Map(tokenClasses.map(({ name, dark }) => [name, dark])),
  },
};

/**
 * Loads the palettes for the themes that a site names , such as `github-light`. Each token class has the color that the
 * theme defines. For names unknown to Shiki, the default palette is used.
 */
export async function loadPalettes(themes: Themed): Promise<CodePalettes> {
  const [light, dark] = await Promise.all([loadPalette(themes.light), loadPalette(themes.dark)]);
  return { light: light ?? defaultPalettes.light, dark: dark ?? defaultPalettes.dark };
}

async function loadPalette(name: string): Promise<CodePalette | undefined> {
  // The themes are imported only here, because few sites name a theme.
  const { bundledThemes } = await import("shiki/themes");
  if (!Object.hasOwn(bundledThemes, name)) return undefined;
  const { default: theme } = await bundledThemes[name as keyof typeof bundledThemes]();
  return readPalette(theme);
}

async function readPalette(theme: ThemeRegistrationAny): Promise<CodePalette | undefined> {
  const background = theme.colors?.["editor.background"];
  const text = theme.colors?.["editor.foreground"];
  if (background === undefined || text === undefined) return undefined;
  const { Theme } = await import("shiki/textmate");
  const settings = [...(theme.settings ?? theme.tokenColors ?? [])];
  const rules = Theme.createFromRawTheme({ settings });
  const colorNames = rules.getColorMap();
  const colors = new Map<string, string>();
  for (const { name, scopes } of tokenClasses) {
    const scope = { parent: null, scopeName: scopes[0] ?? "" };
    const style = rules.match(scope as unknown as Parameters<typeof rules.match>[0]);
    // Color 0 means that no rule of the theme applies to the scope.
    const color = name === "" || !style?.foregroundId ? text : colorNames[style.foregroundId];
    colors.set(name, color ?? text);
  }
  return { background, colors };
}

/**
 * Renders the style sheet of code blocks, which styles tokens, marked lines and line numbers. Dark styles are below
 * `.dark`. Lines are marked in the site's own color, `--c-accent`. The theme styles the frame around a block (title,
 * border, copy button).
 */
export function renderCodeStyles({ light, dark }: CodePalettes = defaultPalettes): string {
  return [
    `.code{${writePaletteProperties(light)};--code-mark:color-mix(in srgb,var(--c-accent) 10%,transparent);--code-add:#1a73402b;--code-remove:#b3261e26}`,
    `.dark .code{${writePaletteProperties(dark)};--code-add:#8fd6a326;--code-remove:#ff9a9126}`,
    ".code pre{background:var(--code-background);color:var(--code-text);overflow-x:auto}",
    ".code code{display:block;width:max-content;min-width:100%}",
    ".code.wrap code{width:auto;white-space:pre-wrap;overflow-wrap:anywhere}",
    ".code .line{display:inline-block;min-width:100%}",
    ".code .marked{background:var(--code-mark)}",
    ".code .added{background:var(--code-add)}",
    ".code .removed{background:var(--code-remove)}",
    // Lines without focus are gray. Paler lines would be unreadable for some readers.
    ".code.focusing .line:not(.focused){filter:grayscale(.9)}",
    ".code.focusing:hover .line{filter:none}",
    ".code.lines code{counter-reset:line}",
    ".code.lines .line{counter-increment:line}",
    ".code.lines .line::before{content:counter(line);display:inline-block;width:2.5em;margin-right:1em;text-align:right;opacity:.6;user-select:none}",
    ...tokenClasses.flatMap(({ name, style }) => {
      if (name === "") return [];
      const extra = style === undefined ? "" : `;${style}`;
      return [
        // The rules apply only within `pre`, because the theme's icons in a block have class names that are just as
        // short.
        `.code pre .${name}{color:${light.colors.get(name)}${extra}}`,
        `.dark .code pre .${name}{color:${dark.colors.get(name)}}`,
      ];
    }),
  ].join("\n");
}

function writePaletteProperties({ background, colors }: CodePalette): string {
  return `--code-background:${background};--code-text:${colors.get("")}`;
}
