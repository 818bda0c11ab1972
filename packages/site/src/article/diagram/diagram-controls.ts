/** An author's settings for a diagram's buttons: the words after `mermaid` in the opening line of its fence. */
export interface DiagramControls {
  /** Undefined if the height of the drawing decides. */
  readonly isShown?: boolean;
  readonly placement: string;
}

const actions = /(?:^|\s)actions(?:=[{"']?(?<value>\w+)|(?=\s|$))/;
const placement = /(?:^|\s)placement=[{"']*(?<corner>(?:top|bottom)-(?:left|right))\b/;

/** A longer line is cut, as for any fence. */
const maxMeta = 1_000;

export function readControls(meta: unknown): DiagramControls {
  const text = typeof meta === "string" ? meta.slice(0, maxMeta) : "";
  const asked = actions.exec(text);
  const corner = placement.exec(text)?.groups?.["corner"] ?? "bottom-right";
  if (asked === null) return { placement: corner };
  return { isShown: asked.groups?.["value"] !== "false", placement: corner };
}
