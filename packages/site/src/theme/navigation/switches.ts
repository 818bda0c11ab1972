import {
  joinAttributes,
  escapeHtml,
  html,
  joinHtml,
  toLanguageTag,
  type Html,
} from "../../markup/index.ts";
import type { NavDivision } from "../../site/index.ts";
import type { FrameContext } from "../frame-context.ts";
import { renderLayoutIcon } from "../layout-icons.ts";
import { renderTag } from "./nav-label.ts";

export type SwitchKind = "product" | "version" | "language";

/** The divisions of one kind between which a reader chooses, and the division of the page. */
export interface DivisionChoice {
  readonly divisions: readonly NavDivision[];
  readonly current: NavDivision | undefined;
}

/**
 * Renders the product, version and language menus that offer a choice: several divisions, or one division that does not
 * contain the page.
 */
export function renderSwitches(frame: FrameContext, kinds: readonly SwitchKind[]): Html {
  const { navigation, version, language } = frame.words;
  const labels = { product: navigation, version, language };
  const isListed = (frame.page?.positions.length ?? 0) > 0;
  const menus = kinds.flatMap((kind) =>
    listDivisionChoices(frame, kind)
      .filter(
        ({ divisions, current }) => divisions.length > 1 || (isListed && current === undefined),
      )
      .map((choice) => renderSwitchMenu(choice, frame, labels[kind])),
  );
  return joinHtml(menus);
}

/** Renders a menu that works without scripts. The reader's script closes the menu on Escape and on clicks elsewhere. */
export function renderSwitchMenu(choice: DivisionChoice, frame: FrameContext, label: string): Html {
  const shown = findShownDivision(choice);
  if (shown === undefined) return "";
  const { kind, icon, iconType } = shown;
  const name = frame.getDivisionLabel(shown);
  const summary = joinHtml([
    kind === "language" ? renderLayoutIcon("globe") : "",
    html`${frame.renderIcon(icon, iconType)}<span dir="auto">${escapeHtml(name)}</span>`,
    renderLayoutIcon("updown"),
  ]);
  const attributes = joinAttributes({ class: `menu menu-${kind}`, name: "menu" });
  const title = joinAttributes({ "aria-label": `${label}: ${name}`, title: name });
  return html`<details${attributes}><summary${title}>${summary}</summary>${renderMenuList(choice, frame)}</details>`;
}

export function renderMenuList({ divisions, current }: DivisionChoice, frame: FrameContext): Html {
  const items = divisions.map((division) => renderMenuItem(division, division === current, frame));
  return html`<ul class="menu-list">${joinHtml(items)}</ul>`;
}

/** Lists the choices between divisions of one kind on the path to the page, outermost first. */
export function listDivisionChoices(
  { trail }: Pick<FrameContext, "trail">,
  kind: NavDivision["kind"],
): readonly DivisionChoice[] {
  const choices: DivisionChoice[] = [];
  for (const [level, parent] of trail.divisions.entries()) {
    const next = trail.divisions[level + 1];
    const divisions = parent.divisions.filter(
      (division) => division.kind === kind && (!division.hidden || division === next),
    );
    if (divisions.length === 0) continue;
    choices.push({ divisions, current: next?.kind === kind ? next : undefined });
  }
  return choices;
}

/** Returns the division of the page, or the division in which readers begin if no division contains the page. */
export function findShownDivision({ divisions, current }: DivisionChoice): NavDivision | undefined {
  return current ?? divisions.find(({ isDefault }) => isDefault) ?? divisions[0];
}

/** The kinds of divisions that may contain the same page. */
const parallelKinds: ReadonlySet<NavDivision["kind"]> = new Set(["language", "version", "product"]);

function renderMenuItem(division: NavDivision, isCurrent: boolean, frame: FrameContext): Html {
  const { kind, icon, iconType, tag, description } = division;
  const href = parallelKinds.has(kind)
    ? frame.findCounterpartHref(division)
    : frame.findDivisionHref(division);
  if (href === undefined) return "";
  const state = joinAttributes({
    "aria-current": isCurrent && "true",
    lang: kind === "language" && toLanguageTag(division.label),
  });
  const name = html`<span>${escapeHtml(frame.getDivisionLabel(division))}${renderTag(tag)}</span>`;
  const text =
    description === undefined ? name : html`${name}<small>${escapeHtml(description)}</small>`;
  const content = html`${frame.renderIcon(icon, iconType)}<span class="menu-text">${text}</span>`;
  return html`<li><a class="nav-dropdown-item" href="${href}"${state}>${content}</a></li>`;
}
