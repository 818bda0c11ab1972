import { attributes, type Html } from "../markup/index.ts";
import { hostOf } from "./media-placeholder.ts";

/** Content that gives a link a name: text, a picture's description, a label. */
const accessibleName = /(?:^|>)[^<]*[^<\s]|\s(?:alt|aria-label|title)="[^"]*[^"\s]|<title>/;

/**
 * ` aria-label="…"` for a link without text, such as a picture or an icon, so that users of screen readers learn
 * its target: the host or the page. Empty if the content gives the link a name.
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
