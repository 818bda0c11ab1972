import { joinAttributes, html, type Html } from "../../markup/index.ts";

interface LinkedFold {
  readonly href: Html;
  readonly isCurrent?: boolean;
  /** Attributes of `<details>`. */
  readonly fold?: Parameters<typeof joinAttributes>[0];
  readonly list: Html;
}

/**
 * A group whose name is a link, with the list that folds. What opens the list is a button beside the link, with the
 * same name: a button may hold no link, and readers without a mouse have to be able to tell the two apart.
 */
export function renderLinkedFold(
  { name, label }: { readonly name: string; readonly label: Html },
  { href, isCurrent = false, fold = {}, list }: LinkedFold,
): Html {
  const state = joinAttributes({ "aria-current": isCurrent && "page" });
  const start = joinAttributes({ class: "group-fold", ...fold });
  const title = joinAttributes({ "aria-label": name });
  return html`<a class="group-name" href="${href}"${state}>${label}</a><details${start}><summary${title}></summary>${list}</details>`;
}
