import { detectConvention, findTemplate, maxGuideBytes } from "../../agent/index.ts";
import type { CommitConvention } from "../../core/index.ts";
import type { GuideRepository, PullRequestForm } from "../../agent/index.ts";
import type { TurnWork } from "./turn-work.ts";

/** The commits that show a repository's convention. */
const commitsRead = 50;

/** How the repository wants pull requests to be written, at the commit that the turn starts from. */
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

/** Only the site's folder is checked out; the team's guides may be anywhere in the repository. */
export function guideRepository(work: TurnWork): GuideRepository | undefined {
  const { directory } = work;
  return directory === "." ? undefined : { siteFolder: directory, reader: readerOf(work) };
}

function readerOf({
  gitWork,
  repository,
  startingPoint,
  signal,
}: TurnWork): GuideRepository["reader"] {
  const at = { commit: startingPoint.commit };
  return {
    list: (folder) => gitWork.listFolder(repository, { ...at, folder }, signal),
    read: (path) => gitWork.readFile(repository, { ...at, path, maxBytes: maxGuideBytes }, signal),
  };
}
