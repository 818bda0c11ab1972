import { methodLabel } from "../../markup/index.ts";
import type { Html } from "../../markup/index.ts";

/** The coloured label of a method, short enough for narrow columns: `DELETE` is cut to `DEL`. */
export function shortMethodLabel(method: string): Html {
  return methodLabel(method, method === "delete" ? "DEL" : method.toUpperCase());
}
