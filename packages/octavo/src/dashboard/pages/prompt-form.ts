import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml, HtmlValue } from "../safe-html.ts";

/** A rejected prompt and the reason why it was rejected. */
export interface RejectedPrompt {
  readonly text: string;
  readonly sentence: string;
}

export interface PromptFormView {
  readonly action: string;
  readonly label: string;
  readonly button: string;
  readonly placeholder: string;
  readonly hint: HtmlValue;
  readonly refused: RejectedPrompt | undefined;
  /** The initial text of the field. */
  readonly prompt?: string | undefined;
}

/** Renders a form with a field for an instruction. A page can have only one such form. */
export function renderPromptForm(view: PromptFormView): SafeHtml {
  const { action, label, button, placeholder, hint, refused, prompt } = view;
  return safeHtml`<form class="prompt" method="post" action="${action}">
    <label for="prompt">${label}</label>
    ${
      refused &&
      safeHtml`<p class="notice danger" id="prompt-error" role="alert">${refused.sentence}</p>`
    }
    <textarea
      id="prompt"
      name="prompt"
      rows="3"
      required
      placeholder="${placeholder}"
      ${refused && safeHtml`aria-invalid="true" aria-describedby="prompt-error"`}
    >
${refused?.text ?? prompt}</textarea>
    <div class="prompt-end">
      <p class="faint">${hint}</p>
      <button class="primary" type="submit">${button}</button>
    </div>
  </form>`;
}

/** Renders the form that starts an agent job in a project. */
export function renderAgentJobForm(
  addresses: Addresses,
  project: Project,
  {
    model,
    refused,
    prompt,
  }: { readonly model: string } & Partial<Pick<PromptFormView, "refused" | "prompt">>,
): SafeHtml {
  return safeHtml`<section class="card" aria-labelledby="ask">
    <h2 id="ask">Ask an agent</h2>
    ${renderPromptForm({
      action: addresses.agent(project.id),
      label: "What should the agent do?",
      button: "Ask",
      placeholder: "Fix the broken links",
      hint: safeHtml`Uses <code>${model}</code>. The changes become one pull request. If nothing changes,
        no pull request is opened.`,
      refused,
      prompt,
    })}
    ${renderSuggestions(addresses.agent(project.id))} ${model === recipesModel && recipeExamples}
  </section>`;
}

/** Instructions that every model understands. In the demo, each of them changes a page. */
const suggestions = [
  "Fix the broken links",
  "Fix common misspellings",
  "Rename the term “web site” to “site”",
];

/** Renders links that fill the field. With scripts, they do so without loading the page. */
function renderSuggestions(address: string): SafeHtml {
  return safeHtml`<p class="suggestions">
    <span class="faint">Suggestions:</span>
    ${suggestions.map(
      (text) =>
        safeHtml`<a href="${address}?prompt=${encodeURIComponent(text)}" data-fill="prompt">${text}</a>`,
    )}
  </p>`;
}

/** The built-in model, which requires no network and understands only its recipes. */
export const recipesModel = "builtin/recipes";

const recipeExamples = safeHtml`<details class="examples">
  <summary>What it understands</summary>
  <ul>
    <li>Fix the broken links in guides/</li>
    <li>Rename the term “Acme Cloud” to “Acme Platform”</li>
    <li>Replace the version “1.2.3” with “1.3.0”</li>
    <li>Move the page guides/start to quickstart</li>
    <li>Add a page “Deploying” to the group Guides</li>
    <li>Delete the page old/setup and redirect to quickstart</li>
    <li>Set the title of guides/start to “Start here”</li>
    <li>Rename the group Guides to “How-to guides”</li>
    <li>Fill in the missing descriptions</li>
    <li>Fix common misspellings</li>
  </ul>
  <p class="faint">
    Write one instruction per line, with names and texts in quotes. Anything else needs a language
    model.
  </p>
</details>`;
