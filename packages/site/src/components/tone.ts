import type { Props } from "../page/index.ts";
import { readColorProp, readTextProp } from "./props.ts";

/**
 * The icon for each kind of callout. Cards and badges share the callouts' colors, which are set by classes such as
 * `tone-note`.
 */
const toneIcons: ReadonlyMap<string, string> = new Map([
  ["note", "lucide:circle-alert"],
  ["tip", "lucide:lightbulb"],
  ["info", "lucide:info"],
  ["warning", "lucide:triangle-alert"],
  ["check", "lucide:circle-check"],
  ["danger", "lucide:octagon-alert"],
]);

/** The color and the default icon of a box. */
export interface Tone {
  readonly className: string;
  readonly style?: string;
  readonly icon?: string;
}

export function findNamedTone(name: string): Tone | undefined {
  const icon = toneIcons.get(name.toLowerCase());
  return icon === undefined ? undefined : { className: `tone-${name.toLowerCase()}`, icon };
}

/**
 * Reads the tone from an attribute such as `type="warning"` or `color="#FFC107"`. Returns undefined if neither is set.
 */
export function readTone(props: Props): Tone | undefined {
  const color = readColorProp(props, "color");
  if (color !== undefined) return { className: "tone-custom", style: `--tone:${color}` };
  return findNamedTone(readTextProp(props, "type") ?? "");
}
