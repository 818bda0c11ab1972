import { code, count, tellList } from "./telling.ts";

/** What a recipe did not change, and why: file by file. */
export interface LeftPlaces {
  readonly path: string;
  readonly line?: number;
  readonly reason: string;
}

/** Lines of one file that are named. */
const maxLines = 5;

/** `Left as they are:`, one item for each file and reason, the fewest places first: they are looked at. */
export function tellLeft(left: readonly LeftPlaces[]): string {
  const groups = Map.groupBy(left, ({ path, reason }) => `${path}\0${reason}`);
  const items = [...groups.values()].map((places) => {
    const [first] = places;
    const lines = [...new Set(places.flatMap(({ line }) => line ?? []))];
    const shown = lines.slice(0, maxLines).join(", ");
    const rest =
      lines.length > maxLines ? ` and ${count(lines.length - maxLines, "other line")}` : "";
    const place = code(`${first?.path}${lines.length > 0 ? `:${shown}` : ""}`);
    return `${place}${rest}: ${first?.reason}`;
  });
  return tellList("Left as they are, since they may mean something else:", items);
}
