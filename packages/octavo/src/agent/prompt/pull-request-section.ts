import type { PullRequestForm } from "../pull-request/description.ts";
import { pathWords, quoted } from "./quoted.ts";

const howTo = `The pull request
- When the work is done and check is clean, call describe: the title and description of the pull request. Then end.
- Write for a reviewer who knows the product and has not seen the prompt: what readers get from the change and why, what was moved or removed and where it went, what you decided where the prompt left it open, and what to look at closely. Short paragraphs and lists, no praise, nothing you did not do or see.
- The list of pages and the results of the checks are added below your text: do not repeat them. Name pages by their path, in code. Mentions, issue numbers, links and pictures are taken out.`;

const plainForm = `- The title is a plain sentence as an order, such as Explain how to rotate keys.`;
const conventionalForm = `- This repository's commits are titled by type: docs: explain how to rotate keys. Use docs unless another type fits better; a scope only if the history's are known to you.`;

/** What a model is told of the pull request that its work becomes. */
export function pullRequestSection({ convention, template }: PullRequestForm): string {
  const form = convention === "conventional" ? conventionalForm : plainForm;
  if (!template) return `${howTo}\n${form}`;
  return `${howTo}\n${form}
- The repository has a template for descriptions, quoted below: fill it in. Keep its headings in their order, replace its notes, write "None" below a heading that does not apply. Tick a box only if it is true of this change; boxes in which somebody says I or we are a person's to tick.
<template>
From ${quoted(pathWords(template.path))}:

${quoted(template.text)}
</template>`;
}
