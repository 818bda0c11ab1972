import type { Props } from "../page/index.ts";
import { readColorProp, readTextProp } from "./props.ts";

/** The kinds of callout, and the icon of each. Cards and badges share their colors: class `tone-note`. */
const toneIcons: ReadonlyMap<string, string> = new Map([
  ["note", "lucide:circle-alert"],
  ["tip", "lucide:lightbulb"],
  ["info", "lucide:info"],
  ["warning", "lucide:triangle-alert"],
  ["check", "lucide:circle-check"],
  ["danger", "lucide:octagon-alert"],
]);

/** The color of a box and its default icon. */
export interface Tone {
  readonly className: string;
  readonly style?: string;
  readonly icon?: string;
}

export function findNamedTone(name: string): Tone | undefined {
  const icon = toneIcons.get(name.toLowerCase());
  return icon === undefined ? undefined : { className: `tone-${name.toLowerCase()}`, icon };
}

/** Reads the tone from `type="warning"` or `color="#FFC107"`; undefined if neither is given. */
export function readTone(props: Props): Tone | undefined {
  const color = readColorProp(props, "color");
  if (color !== undefined) return { className: "tone-custom", style: `--tone:${color}` };
  return findNamedTone(readTextProp(props, "type") ?? "");
}
