import { limits } from "../core/index.ts";
import { fillVariables } from "../text/index.ts";
import type { PageSource } from "./read-pages.ts";

/** A page whose title and description have the values of the site's variables. */
export function fillTitles(
  page: PageSource,
  variables: Readonly<Record<string, string>>,
): PageSource {
  const { title, navTitle, frontmatter } = page;
  const { description = "" } = frontmatter;
  if (![title, navTitle, description].some((text) => text.includes("{{"))) return page;
  const fill = (text: string) => fillVariables(text, variables, limits.frontmatterBytes);
  return {
    ...page,
    title: fill(title),
    navTitle: fill(navTitle),
    frontmatter: {
      ...frontmatter,
      ...(frontmatter.title === undefined ? {} : { title: fill(frontmatter.title) }),
      ...(description === "" ? {} : { description: fill(description) }),
    },
  };
}
