/** The free icon sets. */
export const iconSets = ["lucide", "fa-solid", "fa-regular", "fa-brands", "tabler"] as const;
export type IconSet = (typeof iconSets)[number];

/** Names and drawings of all icons. A set is read on first use. */
export interface IconSets {
  /** All names, old ones included. */
  names(set: IconSet): ReadonlySet<string>;
  /** The SVG document of an icon in one line, without comments and classes; undefined if there is none. */
  drawing(set: IconSet, name: string): string | undefined;
}

const keyForm =
  /^(?<set>lucide|tabler|fa-(?:solid|regular|brands)):(?<name>[a-z0-9]+(?:-[a-z0-9]+)*)$/;

/** The drawing of a key such as `lucide:rocket` or `fa-solid:rocket`; undefined if the key is unknown or invalid. */
export function drawingOf(key: string, sets: IconSets): string | undefined {
  const { set, name } = keyForm.exec(key)?.groups ?? {};
  return set === undefined || name === undefined ? undefined : sets.drawing(set as IconSet, name);
}

/** The class for an icon's key in HTML and CSS: `i-fa-solid-rocket`. */
export function iconClass(key: string): string {
  return `i-${key.replace(":", "-")}`;
}
