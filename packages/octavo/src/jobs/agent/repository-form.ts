import { posix } from "node:path";
import { detectConvention, findTemplate, maxGuideBytes } from "../../agent/index.ts";
import type { CommitConvention } from "../../core/index.ts";
import type { GuideRepository, PullRequestForm } from "../../agent/index.ts";
import type { FolderEntries } from "../../git/index.ts";
import type { TurnWork } from "./turn-work.ts";

/** The number of commits read to detect a repository's convention. */
const commitsRead = 50;

const nothing: FolderEntries = { files: [], folders: [] };

/** Reads how the repository wants pull requests to be written, at the commit that the turn starts from. */
export async function readForm(work: TurnWork): Promise<PullRequestForm> {
  return {
    convention: work.claim.job.project.pull_requests.commitConvention ?? (await convention(work)),
    template: await findTemplate(readerOf(work)),
  };
}

async function convention({ gitWork, repository, start }: TurnWork): Promise<CommitConvention> {
  const list = { to: start.forkCommit, limit: commitsRead };
  const commits = await gitWork.listCommits(repository, list);
  return detectConvention(commits.map(({ subject }) => subject));
}

/**
 * Returns access to the repository outside the site's folder. Only the site's folder is checked out, but the team's
 * guides may be anywhere in the repository. Undefined if the site is at the root.
 */
export function guideRepository(work: TurnWork): GuideRepository | undefined {
  const { directory } = work;
  return directory === "." ? undefined : { siteFolder: directory, reader: readerOf(work) };
}

/**
 * Creates a reader that lists each folder at most once, and does not read folders or files that their parent does not
 * contain: most repositories have few of the possible locations.
 */
function readerOf({
  gitWork,
  repository,
  startingPoint,
  signal,
}: TurnWork): GuideRepository["reader"] {
  const at = { commit: startingPoint.commit };
  const listed = new Map<string, Promise<FolderEntries>>();
  const entriesOf = async (folder: string): Promise<FolderEntries> => {
    const known = listed.get(folder);
    if (known) return await known;
    const listing = isListed(folder).then(async (isFolder) =>
      isFolder ? await gitWork.listFolder(repository, { ...at, folder }, signal) : nothing,
    );
    listed.set(folder, listing);
    return await listing;
  };
  const isListed = async (folder: string): Promise<boolean> => {
    if (folder === "") return true;
    const { dir, base } = posix.parse(folder);
    return (await entriesOf(dir)).folders.includes(base);
  };
  return {
    list: async (folder) => (await entriesOf(folder)).files,
    async read(path) {
      const { dir, base } = posix.parse(path);
      if (!(await entriesOf(dir)).files.includes(base)) return undefined;
      return await gitWork.readFile(repository, { ...at, path, maxBytes: maxGuideBytes }, signal);
    },
  };
}
