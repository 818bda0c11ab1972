/** The free sets that icons come from. */
export const iconSets = ["lucide", "fa-solid", "fa-regular", "fa-brands", "tabler"] as const;
export type IconSet = (typeof iconSets)[number];

/** Which icons there are, old names included, and what they look like. A set is read when it is first asked for. */
export interface IconSets {
  names(set: IconSet): ReadonlySet<string>;
  /** The SVG document of an icon in one line, without comments and classes; undefined where there is none. */
  drawing(set: IconSet, name: string): string | undefined;
}

const keyForm =
  /^(?<set>lucide|tabler|fa-(?:solid|regular|brands)):(?<name>[a-z0-9]+(?:-[a-z0-9]+)*)$/;

/** The drawing of a key such as `lucide:rocket` or `fa-solid:rocket`; undefined for a key of another form too. */
export function drawingOf(key: string, sets: IconSets): string | undefined {
  const { set, name } = keyForm.exec(key)?.groups ?? {};
  return set === undefined || name === undefined ? undefined : sets.drawing(set as IconSet, name);
}

/** The class that an icon's key has in HTML and CSS: `i-fa-solid-rocket`. */
export function iconClass(key: string): string {
  return `i-${key.replace(":", "-")}`;
}
