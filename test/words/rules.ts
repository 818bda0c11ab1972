/**
 * Why words of a source need not be on its page. Everything else that the source says must be: text, code, titles
 * and other attributes that are shown, in the page's own file and in what it imports.
 */
export const rules = {
  setting: "frontmatter other than title, description and tag",
  header: "title and description of a page whose mode shows no header",
  tag: "tags of elements in a description, whose content is shown",
  comment: "comments of Markdown, MDX and JavaScript",
  module: "imports and exports; what is exported is read where it is used",
  expression: "code in braces that decides or computes what is shown",
  property:
    "attributes that are not text: addresses, names of icons, sizes, classes, options; what pictures say to a mouse",
  address: "targets of links and pictures",
  fence: "the language and the options of a block of code, and `[!code ...]` in its comments",
  alert: "`[!NOTE]`, which the page says in its own words",
  anchor: "`{#id}` of a heading, labels of footnotes",
  code: "elements that a page may not have: scripts, styles, templates",
  fallback: "what is inside videos and sounds, for browsers that play none",
  footnote: "footnotes that nothing refers to",
  number: "numbers of lists, which a browser counts",
  panel: "panels of pages whose mode shows nothing beside the text",
  agents: "what is for programs that read the page's Markdown alone",
  absent: "attributes of a component whose file is not in the site, or that nobody defines",
  children: "content that a component of the site's own does not use",
} as const;

export type Rule = keyof typeof rules;
