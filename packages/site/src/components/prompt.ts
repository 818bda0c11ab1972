import type { Component } from "./component.ts";
import { attributes, classNames, escapeHtml, html, wrap } from "../markup/index.ts";
import { promptText } from "./prompt-text.ts";
import { classProp, listProp, textProp } from "./props.ts";

const knownActions: ReadonlySet<string> = new Set(["copy", "cursor"]);

/**
 * A prompt for a language model, to be copied. The text is collapsed below its description; the
 * client script adds a button for each of `data-actions` to `.prompt-actions`, which use the
 * text of `.prompt-text`.
 */
export const prompt: Component = {
  names: ["Prompt"],
  render({ props, place, children }, context) {
    const type = textProp(props, "iconType");
    const icon = context.icon(props.icon, type === undefined ? {} : { type }, place);
    const asked = listProp(props, "actions").filter((action) => knownActions.has(action));
    const actions = asked.length === 0 ? ["copy"] : asked;
    const start = attributes({
      class: classNames("prompt", classProp(props)),
      "data-prompt": true,
    });
    const description =
      context.renderValue(props.description, place) || escapeHtml(context.words.prompt);
    const text = escapeHtml(promptText(children, context));
    const head = html`${icon}${wrap("span", "prompt-description", description)}`;
    const buttons = html`<div class="prompt-actions"${attributes({ "data-actions": actions.join(" ") })}></div>`;
    return html`<div${start}><details class="fold"><summary>${head}</summary><pre class="prompt-text">${text}</pre></details>${buttons}</div>`;
  },
};
