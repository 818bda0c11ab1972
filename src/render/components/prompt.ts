import type { Component } from "./component.ts";
import { attributes, classNames, escapeHtml, wrap } from "./html.ts";
import { promptText } from "./prompt-text.ts";
import { classProp, listProp, textProp } from "./props.ts";

const copyButton =
  '<button class="copy-code" type="button" aria-label="Copy"><i class="i i-copy"></i></button>';

const knownActions: ReadonlySet<string> = new Set(["copy", "cursor"]);

/** What an address can hold; longer prompts are for copying only. */
const longestAddress = 8_000;

function cursorLink(text: string): string {
  const query = encodeURIComponent(text.toWellFormed());
  if (query.length > longestAddress) return "";
  return `<a class="prompt-cursor" href="cursor://anysphere.cursor-deeplink/prompt?text=${query}">Cursor</a>`;
}

/**
 * A prompt for a language model, folded away below its description. The reader's script answers to
 * `.copy-code` by copying the `pre` beside it.
 */
export const prompt: Component = {
  names: ["Prompt"],
  render({ props, place, children }, context) {
    const type = textProp(props, "iconType");
    const icon = context.icon(props.icon, type === undefined ? {} : { type }, place);
    const asked = listProp(props, "actions").filter((action) => knownActions.has(action));
    const actions = asked.length === 0 ? ["copy"] : asked;
    const start = attributes({ class: classNames("prompt", classProp(props)) });
    const description = context.renderValue(props.description, place) || "Prompt";
    const text = promptText(children, context);
    const summary = `<summary>${icon}${wrap("span", "prompt-description", description)}</summary>`;
    const details = `<details class="fold">${summary}<pre class="prompt-text">${escapeHtml(text)}</pre></details>`;
    const cursor = actions.includes("cursor") && !context.isWithinLink ? cursorLink(text) : "";
    const copy = actions.includes("copy") ? copyButton : "";
    return `<div${start}>${details}${cursor}${copy}</div>`;
  },
};
