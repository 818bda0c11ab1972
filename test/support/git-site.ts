import { launchGit } from "./launcher.ts";
import { writeFiles } from "./temporary-folder.ts";

/** Runs git in a folder with an author of its own and no settings of this machine. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const output = await launchGit(folder, args, {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Writer",
    GIT_AUTHOR_EMAIL: "writer@example.com",
    GIT_COMMITTER_NAME: "Writer",
    GIT_COMMITTER_EMAIL: "writer@example.com",
  });
  return output.trim();
}

/** Commits files to a repository in `folder`, made where there is none; gives the commit. */
export async function commitSiteFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  await writeFiles(folder, files);
  await git(folder, "init", "--quiet", "--initial-branch=main");
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "--message", "Write");
  return git(folder, "rev-parse", "HEAD");
}

/** A site of `count` pages with some work in each. */
export function manyPages(count: number): Record<string, string> {
  const names = Array.from({ length: count }, (_, index) => `guides/page-${index}`);
  const files: Record<string, string> = {
    "docs.json": JSON.stringify({ name: "Many pages", navigation: { pages: ["index", ...names] } }),
    "index.mdx": "---\ntitle: Home\n---\n\nWelcome.",
  };
  for (const [index, name] of names.entries()) {
    const code = `def f${index}(x):\n    return [x * ${index} for _ in range(${index})]\n`;
    files[`${name}.mdx`] =
      `---\ntitle: Page ${index}\n---\n\n## Part\n\n<Note>Number ${index}</Note>\n\n\`\`\`python\n${code.repeat(20)}\`\`\`\n`;
  }
  return files;
}
