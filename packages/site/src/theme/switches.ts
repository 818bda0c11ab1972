import { escapeHtml, languageName, languageTag } from "../markup/index.ts";
import type { NavDivision } from "../site/index.ts";
import type { Frame } from "./frame.ts";
import { tagPill } from "./sidebar.ts";

/** Divisions of one kind that a reader chooses between, with the one that the page stands in. */
export interface Choice {
  readonly divisions: readonly NavDivision[];
  readonly current: NavDivision | undefined;
}

/** The choices of a kind on the way to the page, from the outermost in. */
export function choicesOf(frame: Frame, kind: NavDivision["kind"]): readonly Choice[] {
  const choices: Choice[] = [];
  for (const [level, parent] of frame.trail.divisions.entries()) {
    const next = frame.trail.divisions[level + 1];
    const divisions = parent.divisions.filter(
      (division) => division.kind === kind && (!division.hidden || division === next),
    );
    if (divisions.length === 0) continue;
    choices.push({ divisions, current: next?.kind === kind ? next : undefined });
  }
  return choices;
}

export function divisionLabel(division: NavDivision): string {
  return division.kind === "language" ? languageName(division.label) : division.label;
}

/** A menu that works without scripts; the reader's script closes it on Escape and on clicks elsewhere. */
export function switchMenu(choice: Choice, frame: Frame, label: string): string {
  const { divisions, current } = choice;
  const shown = current ?? divisions.find(({ isDefault }) => isDefault) ?? divisions[0];
  if (shown === undefined) return "";
  const kind = shown.kind;
  const name = `${frame.icon(shown.icon, shown.iconType)}<span dir="auto">${escapeHtml(divisionLabel(shown))}</span>`;
  return (
    `<details class="menu menu-${kind}" name="menu">` +
    `<summary aria-label="${escapeHtml(`${label}: ${divisionLabel(shown)}`)}" title="${escapeHtml(divisionLabel(shown))}">` +
    `${kind === "language" ? '<i class="i i-globe"></i>' : ""}${name}` +
    `<i class="i i-updown"></i></summary>${menuList(choice, frame)}</details>`
  );
}

/** Kinds between which the same page exists several times. */
const keptKinds: ReadonlySet<NavDivision["kind"]> = new Set(["language", "version", "product"]);

export function menuList(choice: Choice, frame: Frame): string {
  let items = "";
  for (const division of choice.divisions) {
    const isElsewhere = keptKinds.has(division.kind);
    const href = isElsewhere ? frame.switchTo(division) : frame.hrefOf(division);
    if (href === undefined) continue;
    const isCurrent = division === choice.current;
    const lang = division.kind === "language" ? ` lang="${languageTag(division.label)}"` : "";
    items +=
      `<li><a class="nav-dropdown-item" href="${href}"${isCurrent ? ' aria-current="true"' : ""}${lang}>` +
      `${frame.icon(division.icon, division.iconType)}<span class="menu-text">` +
      `<span>${escapeHtml(divisionLabel(division))}${division.tag === undefined ? "" : tagPill(division.tag)}</span>` +
      (division.description === undefined
        ? ""
        : `<small>${escapeHtml(division.description)}</small>`) +
      "</span></a></li>";
  }
  return `<ul class="menu-list">${items}</ul>`;
}

export type SwitchKind = "product" | "version" | "language";

/** The language, product and version menus, where there is something to choose. */
export function switches(frame: Frame, kinds: readonly SwitchKind[]): string {
  const labels = {
    product: frame.words.navigation,
    version: frame.words.version,
    language: frame.words.language,
  };
  let markup = "";
  for (const kind of kinds) {
    for (const choice of choicesOf(frame, kind)) {
      if (choice.divisions.length > 1) markup += switchMenu(choice, frame, labels[kind]);
    }
  }
  return markup;
}
