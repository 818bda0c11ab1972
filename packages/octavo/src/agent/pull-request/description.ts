import type { CommitConvention } from "../../core/index.ts";
import type { RepositoryReader } from "../guides/find-guides.ts";

/** The repository's conventions for titles and descriptions of pull requests. */
export interface PullRequestForm {
  readonly convention: CommitConvention;
  readonly template?: PullRequestTemplate | undefined;
}

/** The model's text for the pull request, written with the tool `describe`. The text is untrusted. */
export interface ModelDescription {
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  /** The subject of the turn's commit, if it differs from the title. */
  readonly commit?: string | undefined;
}

/** A repository's pull request template. */
export interface PullRequestTemplate {
  /** The path from the repository's root. */
  readonly path: string;
  /** Markdown, including its notes to the author. */
  readonly text: string;
}

/** The maximum length of a template. A longer template would leave the model too little room for the site. */
const maxTemplateLength = 6_000;
const singleTemplateName = /^pull_request_template\.(?:md|markdown|txt)$/i;
const singleFolders = [".github", "", "docs"] as const;
/** Folders of templates, one of which is chosen by name. */
const variantFolders = [
  ".github/PULL_REQUEST_TEMPLATE",
  ".github/pull_request_template",
  "PULL_REQUEST_TEMPLATE",
  "docs/PULL_REQUEST_TEMPLATE",
  ".gitlab/merge_request_templates",
] as const;
const variantTemplateName = /\.(?:md|markdown|txt)$/i;

/**
 * Finds the template for a documentation change. If the repository has several templates, chooses the template for
 * documentation, or else the default template. Returns undefined if there is no template, or if it is too long.
 */
export async function findTemplate(
  reader: RepositoryReader,
): Promise<PullRequestTemplate | undefined> {
  for (const folder of variantFolders) {
    const names = (await reader.list(folder)).filter((name) => variantTemplateName.test(name));
    const name = names.find((one) => /^docs?\b|documentation/i.test(one));
    if (name !== undefined) return await readTemplate(reader, `${folder}/${name}`);
  }
  for (const folder of singleFolders) {
    const name = (await reader.list(folder)).find((one) => singleTemplateName.test(one));
    const path = folder === "" ? name : `${folder}/${name}`;
    if (name !== undefined && path !== undefined) return await readTemplate(reader, path);
  }
  for (const folder of variantFolders) {
    const names = (await reader.list(folder)).filter((name) => variantTemplateName.test(name));
    const name = names.find((one) => /^default\b/i.test(one)) ?? names[0];
    const isChosen = names.length === 1 || /^default\b/i.test(name ?? "");
    if (name !== undefined && isChosen) return await readTemplate(reader, `${folder}/${name}`);
  }
  return undefined;
}

async function readTemplate(
  reader: RepositoryReader,
  path: string,
): Promise<PullRequestTemplate | undefined> {
  const text = (await reader.read(path))?.replace(/^---\n[^]*?\n---\n/, "").trim();
  return text === undefined || text === "" || text.length > maxTemplateLength
    ? undefined
    : { path, text };
}
