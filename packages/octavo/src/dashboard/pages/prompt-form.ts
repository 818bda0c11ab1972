import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { Html, HtmlValue } from "../html.ts";

/** What somebody wrote and what was wrong with it, where it was not taken. */
export interface RefusedPrompt {
  readonly text: string;
  readonly sentence: string;
}

export interface PromptFormView {
  readonly action: string;
  readonly label: string;
  readonly button: string;
  readonly placeholder: string;
  readonly hint: HtmlValue;
  readonly refused: RefusedPrompt | undefined;
}

/** A field for an instruction in words. One on a page. */
export function promptForm(view: PromptFormView): Html {
  const { action, label, button, placeholder, hint, refused } = view;
  return html`<form class="prompt" method="post" action="${action}">
    <label for="prompt">${label}</label>
    ${
      refused &&
      html`<p class="notice danger" id="prompt-error" role="alert">${refused.sentence}</p>`
    }
    <textarea
      id="prompt"
      name="prompt"
      rows="3"
      required
      placeholder="${placeholder}"
      ${refused && html`aria-invalid="true" aria-describedby="prompt-error"`}
    >
${refused?.text}</textarea>
    <div class="prompt-end">
      <p class="faint">${hint}</p>
      <button class="primary" type="submit">${button}</button>
    </div>
  </form>`;
}

/** Where an agent is asked to do something in a project. */
export function askForm(
  addresses: Addresses,
  project: Project,
  { model, refused }: { readonly model: string; readonly refused?: RefusedPrompt | undefined },
): Html {
  return html`<section class="card" aria-labelledby="ask">
    <h2 id="ask">Ask an agent</h2>
    ${promptForm({
      action: addresses.agent(project.id),
      label: "What is to be done, in words",
      button: "Ask",
      placeholder: "Fix the broken links",
      hint: html`Done by <code>${model}</code>. Becomes one pull request, or none where nothing had
        to be changed.`,
      refused,
    })}
    ${model === recipes && examples}
  </section>`;
}

/** The model that needs no network, and knows no more than its recipes. */
const recipes = "builtin/recipes";

const examples = html`<details class="examples">
  <summary>What it understands</summary>
  <ul>
    <li>Fix the broken links in guides/</li>
    <li>Rename “Acme Cloud” to “Acme Platform”</li>
    <li>Move guides/start to quickstart</li>
    <li>Add a page “Deploying” to the group Guides</li>
    <li>Delete the page old/setup and redirect to quickstart</li>
    <li>Fill in the missing descriptions</li>
    <li>Fix common misspellings</li>
  </ul>
  <p class="faint">Several in one instruction are fine. Anything else needs a language model.</p>
</details>`;
