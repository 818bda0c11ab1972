import { attributes, type Html } from "../markup/index.ts";
import { hostOf } from "./media-placeholder.ts";

/** What gives a link a name: text, a picture's description, a label. */
const accessibleName = /(?:^|>)[^<]*[^<\s]|\s(?:alt|aria-label|title)="[^"]*[^"\s]|<title>/;

/**
 * ` aria-label="…"` for a link whose content shows a picture or an icon and says nothing, so that readers who
 * hear the page learn where it leads: to which host, or which page. Empty for a link with a name.
 */
export function linkLabel(content: Html, href: string): Html {
  // Most links begin with a word.
  if (content !== "" && !content.startsWith("<") && content.trim() !== "") return "";
  if (accessibleName.test(content)) return "";
  const host = hostOf(href);
  const label = host === href ? pageName(href) : host.replace(/^www\./, "");
  return attributes({ "aria-label": label });
}

/** `../guides/first-steps.html#install` is `first steps`. */
function pageName(href: string): string {
  const [path = "", fragment = ""] = href.split("#", 2);
  const file = path.slice(path.lastIndexOf("/") + 1).replace(/\.html$/, "");
  return (file === "" ? fragment : file).replaceAll(/[-_]+/g, " ").trim();
}
