import { renderAnchor } from "./anchor.ts";
import type { Component } from "./component.ts";
import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  wrapInElement,
} from "../markup/index.ts";
import { readClassProp, readTextProp } from "./props.ts";

const repositoryName =
  /^(?:https?:\/\/(?:www\.)?github\.com\/)?([\w.-]{1,100}\/[\w.-]{1,100}?)(?:\.git)?\/?$/i;

/**
 * A link to a repository. It does not show stars or forks, because pages in a bundle do not request data from GitHub.
 */
export const githubRepository: Component = {
  names: ["GitHub.Repo"],
  render({ props, position }, context) {
    const authoredName = readTextProp(props, "repo") ?? "";
    const repository = repositoryName.exec(authoredName)?.[1];
    if (repository === undefined) {
      const message = 'GitHub.Repo needs the name of a repository: repo="owner/name".';
      context.problems.warn("component_value", message, position);
      return wrapInElement("p", "", escapeHtml(authoredName));
    }
    const isFlat = readTextProp(props, "variant")?.toLowerCase() === "flat";
    const attributes = joinAttributes({
      class: joinClassNames("card", isFlat ? "repo-flat" : "repo-inset", readClassProp(props)),
      "data-link": true,
    });
    const icon = context.renderIcon("github", { size: 22, type: "brands" }, position);
    const href = context.links.resolveHref(`https://github.com/${repository}`, position);
    const link = renderAnchor(escapeHtml(repository), { href, className: "box-link" }, context);
    return html`<div${attributes}><div class="card-body card-row"><div class="card-icon">${icon}</div><div class="card-text"><div class="card-title">${link}</div></div></div></div>`;
  },
};
