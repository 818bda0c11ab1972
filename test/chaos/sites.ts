const [pages, words] = [4, 100];

/** A word of the site that stands in one place, for a job of its own. */
export interface SiteWord {
  readonly word: string;
  readonly replacement: string;
  /** The file where it stands. */
  readonly file: string;
}

export function siteWord(index: number): SiteWord {
  return {
    word: `wordbefore${index}`,
    replacement: `wordafter${index}`,
    file: `page-${index % pages}.mdx`,
  };
}

/** A small site with words that jobs can replace without meeting each other. */
export function siteFiles(name: string): Record<string, string> {
  const names = Array.from({ length: pages }, (_, index) => `page-${index}`);
  const files: Record<string, string> = {
    "docs.json": JSON.stringify({ name, navigation: { pages: ["index", ...names] } }),
    "index.mdx": `---\ntitle: Home\n---\n\nWelcome to ${name}.\n`,
  };
  for (const [page, path] of names.entries()) {
    const own = Array.from({ length: pages * words }, (_, index) => siteWord(index)).filter(
      ({ file }) => file === `${path}.mdx`,
    );
    const lines = own.map(
      ({ word }) => `A sentence with ${word} in it.\n\nAnother one.\n\nA third.\n`,
    );
    files[`${path}.mdx`] = `---\ntitle: Page ${page}\n---\n\n${lines.join("\n")}`;
  }
  return files;
}
