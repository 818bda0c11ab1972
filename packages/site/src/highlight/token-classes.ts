import type { ThemeRegistration } from "shiki/core";

/**
 * A class of tokens. Shiki colours tokens by a theme; ours has one "colour" per class, so
 * one pass over the code serves light and dark, and the style sheet alone decides how it looks.
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

export const tokenClasses: readonly TokenClass[] = [
  {
    name: "c",
    scopes: ["comment", "punctuation.definition.comment", "string.comment"],
    light: "#61697a",
    dark: "#8b95a7",
    style: "font-style:italic",
  },
  {
    name: "k",
    scopes: [
      "keyword",
      "storage",
      "storage.type",
      "constant.language",
      "variable.language",
      "keyword.operator.new",
      "keyword.operator.expression",
      "keyword.operator.logical.python",
      "punctuation.definition.keyword",
    ],
    light: "#8a2fc2",
    dark: "#c9a1f5",
  },
  {
    name: "s",
    scopes: [
      "string",
      "punctuation.definition.string",
      "markup.inline.raw",
      "markup.fenced_code",
      "string.unquoted.argument",
    ],
    light: "#1a7340",
    dark: "#8fd6a3",
  },
  {
    name: "n",
    scopes: [
      "constant.numeric",
      "constant.other",
      "constant.character",
      "constant.character.escape",
      "support.constant",
      "string.regexp",
      "keyword.other.unit",
    ],
    light: "#a04a00",
    dark: "#f0b37e",
  },
  {
    name: "f",
    scopes: [
      "entity.name.function",
      "support.function",
      "meta.function-call.generic",
      "entity.name.command",
      "variable.function",
      "meta.method-call entity.name.function",
    ],
    light: "#1c5fbf",
    dark: "#86b8ff",
  },
  {
    name: "t",
    scopes: [
      "entity.name.type",
      "entity.name.class",
      "entity.name.namespace",
      "entity.other.inherited-class",
      "support.type",
      "support.class",
      "entity.name.tag",
      "support.class.component",
    ],
    light: "#0b6e7a",
    dark: "#7fd0d8",
  },
  {
    name: "a",
    scopes: [
      "entity.other.attribute-name",
      "support.type.property-name",
      "punctuation.support.type.property-name",
      "meta.object-literal.key",
      "variable.parameter",
      "entity.name.tag.yaml",
      "variable.other.normal.shell",
      "punctuation.definition.variable",
      "variable.other.property.toml",
    ],
    light: "#a3324f",
    dark: "#f2a1b3",
  },
  {
    name: "h",
    scopes: ["markup.heading", "entity.name.section", "markup.bold"],
    light: "#1c5fbf",
    dark: "#86b8ff",
    style: "font-weight:600",
  },
  { name: "l", scopes: ["markup.underline.link"], light: "#1c5fbf", dark: "#86b8ff" },
  { name: "p", scopes: ["markup.inserted"], light: "#1a7340", dark: "#8fd6a3" },
  { name: "d", scopes: ["markup.deleted"], light: "#b3261e", dark: "#ff9a91" },
  // Operators and the text around embedded expressions stay plain: a span each would double some blocks.
  {
    name: "",
    scopes: [
      "keyword.operator",
      "punctuation",
      "meta.template.expression",
      "meta.embedded",
      "meta.interpolation",
      "string meta.embedded",
      "punctuation.section.embedded",
      "variable.other",
    ],
    light: "#1f2937",
    dark: "#d7dde6",
  },
];

/** Colours of the synthetic theme, in order of `tokenClasses`; colour 0 is the default. */
function colourOf(index: number): string {
  return `#${(index + 1).toString(16).padStart(6, "0")}`;
}

export const themeName = "octavo";

/** The theme handed to the highlighter. */
export const tokenTheme: ThemeRegistration = {
  name: themeName,
  type: "light",
  fg: "#000000",
  bg: "#ffffff",
  settings: [
    { settings: { foreground: "#000000", background: "#ffffff" } },
    ...tokenClasses.map(({ scopes }, index) => ({
      scope: [...scopes],
      settings: { foreground: colourOf(index) },
    })),
  ],
};

/** The class for a colour of the theme; empty for plain text. */
export function classOfColour(colour: string | undefined): string {
  const index = colour === undefined ? -1 : Number.parseInt(colour.slice(1), 16) - 1;
  return tokenClasses[index]?.name ?? "";
}
