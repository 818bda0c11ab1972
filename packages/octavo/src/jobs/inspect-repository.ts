import { OctavoError, createTimeoutSignal, isOctavoError } from "@octavo/site/core";
import type { CodeHost } from "../codehost/index.ts";
import { createId, type CodeHostName } from "../core/index.ts";
import type { Credentials, Git, SourceReader } from "../git/index.ts";

/** The relevant content of a repository, for a person who is about to add the repository as a project. */
export interface RepositoryInspection {
  /** The branches, newest first; at most 100. */
  readonly branches: readonly string[];
  readonly hasMoreBranches: boolean;
  /** The branch or commit that was read. */
  readonly ref: string;
  /** Folders with a site's configuration; those closest to the root come first. */
  readonly sites: readonly FoundSite[];
  /** The number of Markdown and MDX pages in the whole repository. */
  readonly pages: number;
  /** The reason why the credentials do not suffice for agent jobs or reviews; undefined if no problem is known. */
  readonly pullRequestProblem: string | undefined;
}

export interface FoundSite {
  /** The folder; `.` for the repository's root. */
  readonly directory: string;
  /** The file with the configuration. */
  readonly configuration: string;
  /** The number of Markdown and MDX pages in the folder. */
  readonly pages: number;
  /** The problem with the configuration; undefined if it is valid. */
  readonly problem: string | undefined;
}

export interface InspectionRequest {
  readonly repository: string;
  readonly credentials?: Credentials | undefined;
  /** The branch or commit to read. Defaults to the remote's HEAD. */
  readonly ref?: string | undefined;
  readonly codeHost: CodeHostName;
}

/** Reads a repository as a job would. Throws in the same cases as `Git`, with advice for the person who asked. */
export type InspectRepository = (request: InspectionRequest) => Promise<RepositoryInspection>;

const maxBranches = 100;
const maxSites = 20;
/** The maximum depth of folders. Sites in deeper folders are more likely to be examples. */
const maxFolderDepth = 3;
/** The maximum length of a configuration that is parsed here, in characters. */
const maxConfigurationLength = 256 * 1024;
/**
 * The time limit of an inspection, because a person waits for the result. A second attempt continues the download that
 * the first attempt began.
 */
const timeoutMs = 60_000;

interface InspectorOptions {
  readonly git: Git;
  /** Returns the code host, or undefined if this node cannot authenticate there the way workers do. */
  readonly findCodeHost: (request: InspectionRequest) => CodeHost | undefined;
}

export function createRepositoryInspector({
  git,
  findCodeHost,
}: InspectorOptions): InspectRepository {
  return async (request) => {
    const { repository: url, credentials, ref } = request;
    const repository = { url, ...(credentials && { credentials }) };
    const signal = createTimeoutSignal(timeoutMs);
    try {
      const reader = await git.openSource({ repository, directory: "." }, { ref }, signal);
      const [branches, { files }, pullRequestProblem] = await Promise.all([
        git.listBranches(repository, maxBranches + 1),
        reader.listFiles(reader.at.commit, signal),
        findPullRequestProblem(findCodeHost(request), request, signal),
      ]);
      const paths = files.map(({ path }) => path);
      const pages = paths.filter((path) => /\.mdx?$/i.test(path));
      const sites = await findSites(reader, { paths, pages });
      return {
        branches: branches.slice(0, maxBranches),
        hasMoreBranches: branches.length > maxBranches,
        ref: reader.at.ref,
        sites,
        pages: pages.length,
        pullRequestProblem,
      };
    } catch (cause) {
      if (!signal.aborted) throw cause;
      const message = `Reading the repository took longer than ${timeoutMs / 1000} seconds. Add the project without testing the repository; its jobs have more time.`;
      throw new OctavoError("unavailable", message, { cause });
    }
  };
}

/**
 * Asks the code host which rights the credentials lack. If that fails, returns the error message instead of throwing,
 * because a site can be published without these rights.
 */
async function findPullRequestProblem(
  host: CodeHost | undefined,
  { repository, credentials }: InspectionRequest,
  signal: AbortSignal,
): Promise<string | undefined> {
  // The project does not exist yet, so it has no ID.
  const project = { id: createId("project"), repository, credentials };
  try {
    const missingRights = (await host?.listMissingRights(project, signal)) ?? [];
    return missingRights.length === 0
      ? undefined
      : `The credentials lack ${missingRights.join(" and ")}.`;
  } catch (error) {
    if (!isOctavoError(error) || signal.aborted) throw error;
    return error.message;
  }
}

async function findSites(
  reader: SourceReader,
  { paths, pages }: { readonly paths: readonly string[]; readonly pages: readonly string[] },
): Promise<readonly FoundSite[]> {
  const configurations = paths
    .filter(
      (path) => /(?:^|\/)(?:docs|mint)\.json$/.test(path) && measureDepth(path) <= maxFolderDepth,
    )
    .toSorted((one, other) => measureDepth(one) - measureDepth(other))
    .slice(0, maxSites);
  const sites: FoundSite[] = [];
  for (const path of configurations) {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    const text = await reader.readText(reader.at.commit, path);
    // Other programs also use files named `docs.json`.
    if (!text.includes('"navigation"')) continue;
    sites.push({
      directory: folder === "" ? "." : folder.slice(0, -1),
      configuration: path.slice(folder.length),
      pages: pages.filter((page) => page.startsWith(folder)).length,
      problem: findJsonProblem(text),
    });
  }
  return sites;
}

function measureDepth(path: string): number {
  return path.split("/").length - 1;
}

function findJsonProblem(text: string): string | undefined {
  if (text.length > maxConfigurationLength) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `It is not valid JSON: ${error instanceof Error ? error.message.slice(0, 200) : "unreadable"}.`;
  }
}
