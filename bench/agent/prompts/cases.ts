import { everydayPrompts } from "./cases/everyday.ts";
import { freePrompts } from "./cases/free.ts";
import { realForms } from "./cases/real-forms.ts";
import { smallForms } from "./cases/small-forms.ts";
import { teamPrompts } from "./cases/team.ts";
import { nothing, orRefused } from "./expectation.ts";
import type { PromptCase } from "./expectation.ts";

/** The words for a page, a folder and a term in free prompts, by site. */
const words: Readonly<Record<string, readonly [page: string, folder: string, term: string]>> = {
  small: ["guides/start", "guides/", "Inspector"],
  fastmcp: ["servers/icons", "servers/", "Context"],
  mcp: ["docs/2026-07-28/sdk", "community/", "Inspector"],
  mintlify: ["organize/pages", "organize/", "workspace"],
};
const realSites = Object.keys(words).filter((name) => name !== "small");

/** The prompts for a site: its forms, and free ones; each of these is tried on one real site too. */
export function casesOf(site: string): readonly PromptCase[] {
  const everyday = (everydayPrompts[site] ?? []).map(
    ([prompt, expect, isClear = false, offers]): PromptCase => {
      const isRight = orRefused(expect);
      return { site, prompt, isForm: false, isClear, expect: isRight, ...(offers && { offers }) };
    },
  );
  const [page, folder, term] = words[site] ?? [];
  if (page === undefined || folder === undefined || term === undefined) return everyday;
  const forms = site === "small" ? smallForms : (realForms[site] ?? []);
  const own = freePrompts.filter(
    (_, index) => site === "small" || realSites[index % realSites.length] === site,
  );
  const team = teamPrompts[site] ?? [];
  return [
    ...forms.map(([prompt, expect]) => ({ site, prompt, isForm: true, isClear: true, expect })),
    ...team.map(([prompt, expect, isForm = false]) => ({
      site,
      prompt,
      isForm,
      isClear: isForm,
      expect,
    })),
    ...own.map((prompt) => ({
      site,
      prompt: prompt.replaceAll("%", page).replaceAll("@", folder).replaceAll("#", term),
      isForm: false,
      isClear: false,
      expect: nothing,
    })),
    ...everyday,
  ];
}
