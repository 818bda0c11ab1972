/**
 * The components of the format, such as `<Card>` and `<Steps>`. The page renderer finds them by name and passes them a
 * `ComponentContext`. Components do not depend on the site, the file or other pages.
 */
import { accordion, accordionGroup, expandable } from "./accordion.ts";
import { panel, view, visibility } from "./audience.ts";
import { badge } from "./badge.ts";
import { callouts } from "./callout.ts";
import { card, tile } from "./card.ts";
import { codeBlock } from "./code-block.ts";
import { color, colorItem, colorRow } from "./color.ts";
import { column, columns } from "./columns.ts";
import type { Component } from "./component.ts";
import { field } from "./field.ts";
import { frame } from "./frame.ts";
import { githubRepository } from "./github.ts";
import { icon } from "./icon.ts";
import { latex } from "./latex.ts";
import { prompt } from "./prompt.ts";
import { step, steps } from "./steps.ts";
import { codeGroup, exampleComponents, tab, tabs } from "./tabs.ts";
import { tooltip } from "./tooltip.ts";
import { tree, treeEntry } from "./tree.ts";
import { update } from "./update.ts";

export { isBlankText } from "./children.ts";
export { readDrawingSize } from "./icon.ts";

/** All components. Their names are unique. */
export const components: readonly Component[] = [
  ...callouts,
  ...exampleComponents,
  accordion,
  accordionGroup,
  badge,
  card,
  codeBlock,
  codeGroup,
  color,
  colorItem,
  colorRow,
  column,
  columns,
  expandable,
  field,
  frame,
  githubRepository,
  icon,
  latex,
  panel,
  prompt,
  step,
  steps,
  tab,
  tabs,
  tile,
  tooltip,
  tree,
  treeEntry,
  update,
  view,
  visibility,
];
export type {
  Component,
  ComponentChangelog,
  ComponentCode,
  ComponentContext,
  ComponentIds,
  ComponentLinks,
  ComponentOutline,
  ProblemSink,
} from "./component.ts";
export { readFlagProp, readTextProp } from "./props.ts";
export { renderCollapsibleTitle } from "./accordion.ts";
export { unwrapParagraphs } from "./children.ts";
