import type { NavDivision } from "../site/index.ts";

/** Makes exactly one sibling the default: the first that is marked so, else the first that readers see. */
export function withDefault(siblings: readonly NavDivision[]): NavDivision[] {
  const marked = siblings.findIndex((division) => division.isDefault);
  const shown = siblings.findIndex((division) => !division.hidden && division.href === undefined);
  const chosen = marked === -1 ? Math.max(shown, 0) : marked;
  return siblings.map((division, index) => ({ ...division, isDefault: index === chosen }));
}
