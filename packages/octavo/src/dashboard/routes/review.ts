import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import type { PullRequestPage } from "../../reviews/index.ts";
import { hasRight } from "../../core/index.ts";
import type { MeasuredChange } from "../../git/index.ts";
import { isWithinPromptLimit, isBlankPrompt, maxPromptLength } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import { encodePathForMarkdown } from "../addresses.ts";
import { createFramePolicy } from "../headers.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderDifferenceTab, type DifferenceTabView } from "../pages/pull-request/preview.ts";
import { findAgentBranch } from "../pages/pull-request/frame.ts";
import type { RenderedFile, RenderedView } from "../pages/pull-request/preview.ts";
import type { ReplyView } from "../pages/pull-request/reply.ts";
import { isLarge, isMarkdown, splitIntoPages } from "../review/file-pages.ts";
import { emptyDraft, readDraft, toInstruction } from "../review/line-comments.ts";
import type { LineComment, QuotedComment, ReviewDraft } from "../review/line-comments.ts";
import { readSeenFiles, createSeenMark, toggleSeen, writeSeenFiles } from "../review/seen-files.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";
import { findComparedExport } from "./previews.ts";
import { findPullRequest, toGitPerson, toPullRequestEvent } from "./pull-requests.ts";
import { sendProjectPage, toProjectScope } from "./project-page.ts";

const maxComments = 100;
/** The maximum size of a file that is rendered or whose lines are quoted. */
const maxTextBytes = 128 * 1024;
/** The maximum number of files whose lines are quoted in an instruction. */
const maxQuotedFiles = 20;
/** The maximum number of files on the preview page. */
const maxRenderedFiles = 500;

const ChangesQuery = z.object({ page: z.coerce.number().int().min(1).max(100_000).catch(1) });
const PreviewQuery = z.object({ page: z.string().max(4_096).optional().catch(undefined) });
const Seen = z.object({ seen: z.string().length(6).optional().catch(undefined) });
/** The tab from which the form was sent. Only the form on the Changes tab has this hidden field. */
const Origin = z.object({ tab: z.literal("changes").optional().catch(undefined) });

interface OpenPullRequest {
  readonly project: Project;
  readonly number: number;
  readonly page: PullRequestPage;
  readonly canWrite: boolean;
  readonly canExport: boolean;
  readonly reply: ReplyView;
}

/** Adds the pages of a pull request and the forms for comments on its changes. */
export function addReviewPages(app: FastifyInstance, services: DashboardServices): void {
  const { addresses, agentJobs } = services;
  const path = "/projects/:projectId/pulls/:number";

  app.get(path, createPageOptions("pulls.read"), async (request, reply) => {
    return sendConversation(services, {
      request,
      reply,
      opened: await openPullRequest(services, request),
    });
  });

  app.get(`${path}/changes`, createPageOptions("pulls.read"), async (request, reply) => {
    const opened = await openPullRequest(services, request);
    const seen = readSeenFiles(request.headers.cookie);
    return sendChanges(services, { request, reply, opened }, { seen, draft: emptyDraft });
  });

  // Shows the form again with the entered text after a button opens a comment, shows more lines or marks a file as
  // viewed.
  app.post(`${path}/changes`, createPageOptions("pulls.read"), async (request, reply) => {
    const opened = await openPullRequest(services, request);
    const draft = readDraft(request.body);
    const { seen: mark } = Seen.parse(request.body ?? {});
    const before = readSeenFiles(request.headers.cookie);
    const seen = mark === undefined ? before : toggleSeen(before, mark);
    if (mark !== undefined) {
      const address = addresses.pull(opened.project.id, opened.number);
      const isSecure = services.baseUrl().startsWith("https:");
      reply.header("set-cookie", writeSeenFiles(seen, address, isSecure));
    }
    return sendChanges(services, { request, reply, opened }, { seen, draft });
  });

  app.get(`${path}/preview`, createPageOptions("pulls.read"), async (request, reply) => {
    return sendPreview(services, {
      request,
      reply,
      opened: await openPullRequest(services, request),
    });
  });

  app.post(`${path}/comment`, createPageOptions("pulls.write"), async (request, reply) => {
    const opened = await openPullRequest(services, request);
    const { project, number } = opened;
    const draft = readDraft(request.body);
    const body = await buildInstruction(services, opened, draft);
    const refused = findRefusal(body);
    if (refused !== undefined) {
      return sendRefused(services, { request, reply, opened }, { draft, refused });
    }
    await addComment(services, request, { ...opened, body });
    return reply.redirect(`${addresses.pull(project.id, number)}#reply`, 303);
  });

  app.post(`${path}/ask`, createPageOptions("agent.run"), async (request, reply) => {
    const opened = await openPullRequest(services, request);
    const { project, page } = opened;
    const draft = readDraft(request.body);
    const prompt = await buildInstruction(services, opened, draft);
    const branch = findAgentBranch({ page });
    try {
      const refused = branch ? findRefusal(prompt) : "No agent works on this branch.";
      if (!branch || refused !== undefined) {
        return await sendRefused(services, { request, reply, opened }, { draft, refused });
      }
      const user = getSignedInUser(request);
      await agentJobs.addMessage(toProjectScope(project, user), branch.jobId, { prompt });
      await addComment(services, request, { ...opened, body: prompt });
      return await reply.redirect(addresses.agentJob(project.id, branch.jobId), 303);
    } catch (error) {
      if (!isOctavoError(error, "rate_limited") && !isOctavoError(error, "conflict")) throw error;
      const { status, headers } = services.toErrorResponse(error);
      const refused = error.message;
      reply.headers(headers);
      return await sendRefused(services, { request, reply, opened }, { draft, refused, status });
    }
  });
}

interface NewComment extends Pick<OpenPullRequest, "project" | "number"> {
  readonly body: string;
}

async function addComment(
  { reviews, audit }: DashboardServices,
  request: FastifyRequest,
  { project, number, body }: NewComment,
): Promise<void> {
  const user = getSignedInUser(request);
  await reviews.addComment(project.id, number, { author: toGitPerson(user).name, body });
  await audit.record(user, toPullRequestEvent({ act: "commented", project, number }));
}

async function openPullRequest(
  services: DashboardServices,
  request: FastifyRequest,
): Promise<OpenPullRequest> {
  const { project, number, user } = await findPullRequest(services, request);
  const page = await services.reviews.describe(project.id, number);
  const canAsk = hasRight(user, "agent.run") && (await canTakeMessages(services, project, page));
  const canWrite = hasRight(user, "pulls.write");
  const canExport = hasRight(user, "exports.run");
  const isEnded = page.pullRequest.state !== "open";
  const reply = { canAsk, isEnded, message: "", refused: undefined };
  return { project, number, page, canWrite, canExport, reply };
}

/** Reports whether the branch belongs to an agent job that accepts messages. */
async function canTakeMessages(
  { agentJobs }: DashboardServices,
  project: Project,
  page: PullRequestPage,
): Promise<boolean> {
  const branch = findAgentBranch({ page });
  if (!branch) return false;
  try {
    const { job } = await agentJobs.get(toProjectScope(project), branch.jobId);
    return job.status !== "archived";
  } catch (error) {
    if (isOctavoError(error, "not_found")) return false;
    throw error;
  }
}

function findRefusal(text: string): string | undefined {
  if (isBlankPrompt(text))
    return "Write what should change, or click a line number to comment on that line.";
  if (!isWithinPromptLimit(text)) {
    return `All comments together can have at most ${maxPromptLength.toLocaleString("en")} characters.`;
  }
  const hasValidCharacters = text.isWellFormed() && !text.includes("\0");
  return hasValidCharacters ? undefined : "The comments contain invalid characters.";
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly opened: OpenPullRequest;
}

async function sendRefused(
  services: DashboardServices,
  { request, reply, opened }: Exchange,
  {
    draft,
    refused,
    status = 400,
  }: {
    readonly draft: ReviewDraft;
    readonly refused: string | undefined;
    readonly status?: number;
  },
): Promise<FastifyReply> {
  reply.code(status);
  const view = { ...opened, reply: { ...opened.reply, message: draft.message, refused } };
  const exchange = { request, reply, opened: view };
  const { tab } = Origin.parse(request.body ?? {});
  if (tab !== "changes") return sendConversation(services, exchange);
  const seen = readSeenFiles(request.headers.cookie);
  return sendChanges(services, exchange, { seen, draft });
}

async function sendConversation(
  services: DashboardServices,
  { request, reply, opened }: Exchange,
): Promise<FastifyReply> {
  const { reviews, staticExports, renderView } = services;
  const { project, number, page } = opened;
  const [comments, preview] = await Promise.all([
    reviews.listComments(project.id, number, maxComments),
    staticExports.findNewest(toProjectScope(project), page.pullRequest.head),
  ]);
  const view = { ...opened, comments, preview: preview?.job };
  return sendProjectPage(services, request, reply, {
    project: opened.project,
    tab: "pulls",
    title: page.pullRequest.title,
    main: await renderView("conversation", view),
  });
}

async function sendChanges(
  services: DashboardServices,
  { request, reply, opened }: Exchange,
  { seen, draft }: { readonly seen: ReadonlySet<string>; readonly draft: ReviewDraft },
): Promise<FastifyReply> {
  const { renderView } = services;
  const { project, page } = opened;
  const pages = splitIntoPages(page.files);
  const pageNumber = Math.min(ChangesQuery.parse(request.query).page, pages.length);
  const files = (pages[pageNumber - 1] ?? []).filter((file) => !seen.has(createSeenMark(file)));
  const diffs = await readDiffs(services, opened, { files, draft });
  const { canWrite } = opened;
  const view = { project, page, canWrite, pageNumber, diffs, seenMarks: [...seen], draft };
  return sendProjectPage(services, request, reply, {
    project: opened.project,
    tab: "pulls",
    title: `Changes of ${page.pullRequest.title}`,
    isWide: true,
    main: await renderView("changes", {
      ...view,
      reply: { ...opened.reply, message: draft.message },
    }),
  });
}

/** The number of unchanged lines shown around a change. Prose needs fewer, because one line is a whole paragraph. */
const contextLines = { prose: 1, code: 3 };
/** A number larger than the number of lines in any file, so that git shows all lines. */
const allLines = 1_000_000;

/** Reads one diff for prose and one for code, and a separate diff for each file that is shown in full. */
async function readDiffs(
  { reviews }: DashboardServices,
  { project, page }: OpenPullRequest,
  { files, draft }: { readonly files: readonly MeasuredChange[]; readonly draft: ReviewDraft },
): Promise<readonly (string | undefined)[]> {
  const { baseCommit, headCommit } = page;
  const readDiff = (someFiles: readonly MeasuredChange[], lines: number) => {
    const paths = someFiles.flatMap(({ path, from }) =>
      from === undefined ? [path] : [from, path],
    );
    return reviews.diff(project.id, { baseCommit, headCommit, paths, contextLines: lines });
  };
  const wholeFiles = files.filter(({ path }) => draft.wholeFiles.includes(path));
  const partialFiles = files.filter((file) => !wholeFiles.includes(file) && !isLarge(file));
  const prose = partialFiles.filter(({ path }) => isMarkdown(path));
  const code = partialFiles.filter(({ path }) => !isMarkdown(path));
  return await Promise.all([
    ...(prose.length > 0 ? [readDiff(prose, contextLines.prose)] : []),
    ...(code.length > 0 ? [readDiff(code, contextLines.code)] : []),
    ...wholeFiles.map((file) => readDiff([file], allLines)),
  ]);
}

async function sendPreview(
  services: DashboardServices,
  { request, reply, opened }: Exchange,
): Promise<FastifyReply> {
  const { renderView } = services;
  const { project, page, canWrite } = opened;
  const compared = await findComparedBranch(services, request, opened);
  if (compared) {
    if (compared.current) reply.headers({ "content-security-policy": createFramePolicy(services.previewUrl ?? "'self'") }); // prettier-ignore
    return sendProjectPage(services, request, reply, {
      project,
      tab: "pulls",
      title: `Preview of ${page.pullRequest.title}`,
      isWide: true,
      main: renderDifferenceTab(services.addresses, { project, page, canWrite, ...compared }),
    });
  }
  const files = page.files.filter(({ path }) => isMarkdown(path)).slice(0, maxRenderedFiles);
  const { page: wantedPath } = PreviewQuery.parse(request.query);
  const file = files.find(({ path }) => path === wantedPath) ?? files[0];
  const current = file && (await readRenderedFile(services, opened, file));
  const sites = await findSites(services, opened, file);
  return sendProjectPage(services, request, reply, {
    project: opened.project,
    tab: "pulls",
    title: `Preview of ${page.pullRequest.title}`,
    isWide: true,
    main: await renderView("rendered", { project, page, canWrite, files, current, sites }),
  });
}

type ComparedBranch = Pick<DifferenceTabView, "difference" | "base" | "getHref" | "current">;

/**
 * Compares the newest preview of the branch with the site as readers see it without the branch. Returns undefined if
 * either one does not exist or the two cannot be compared. In that case, only the pages' Markdown is compared.
 */
async function findComparedBranch(
  services: DashboardServices,
  request: FastifyRequest,
  { project, number, page }: OpenPullRequest,
): Promise<ComparedBranch | undefined> {
  const { addresses, staticExports, differences, previewTokens, previewUrl } = services;
  const newest = await staticExports.findNewest(toProjectScope(project), page.pullRequest.head);
  if (newest?.job.status !== "completed") return undefined;
  const user = getSignedInUser(request);
  const { jobId } = newest.job;
  try {
    const compared = await findComparedExport(services, { user, jobId });
    if (!compared) return undefined;
    const { list } = await differences.open(compared.before, compared.after);
    const { page: wantedFile } = PreviewQuery.parse(request.query);
    const shownPage = list.pages.find(({ file }) => file === wantedFile) ?? list.pages[0];
    const token = previewTokens.sign({ sessionId: user.sessionId, jobId });
    const files = `/preview/${token}/${encodePathForMarkdown(shownPage?.file ?? "")}?diff`;
    const address = previewUrl === undefined ? addresses.fromRoute(files) : previewUrl + files;
    return {
      difference: list,
      base: compared.base,
      getHref: ({ file }) =>
        `${addresses.pull(project.id, number)}/preview?page=${encodeURIComponent(file)}`,
      current: shownPage && { file: shownPage.file, address },
    };
  } catch (error) {
    const isMissing = (["gone", "too_large", "not_found"] as const).some((code) =>
      isOctavoError(error, code),
    );
    if (isMissing) return undefined;
    throw error;
  }
}

async function readRenderedFile(
  { reviews }: DashboardServices,
  { project, page: { baseCommit, headCommit } }: OpenPullRequest,
  file: MeasuredChange,
): Promise<RenderedFile> {
  const { kind, path, from = path } = file;
  const readText = (commit: string, name: string) =>
    reviews.readFile(project.id, { commit, path: name, maxBytes: maxTextBytes });
  const [before, after] = await Promise.all([
    kind === "added" ? undefined : readText(baseCommit, from),
    kind === "deleted" ? undefined : readText(headCommit, path),
  ]);
  const isMissing =
    (kind !== "added" && before === undefined) || (kind !== "deleted" && after === undefined);
  return { file, before, after, isTooLarge: isMissing };
}

/**
 * Returns links to the exported sites of the branch and of its base. The links lead to the shown page if the addresses
 * can name a page.
 */
async function findSites(
  { staticExports, addresses }: DashboardServices,
  { project, page }: OpenPullRequest,
  file: MeasuredChange | undefined,
): Promise<RenderedView["sites"]> {
  const scope = toProjectScope(project);
  const { head, base } = page.pullRequest;
  const branch = findAgentBranch({ page });
  const hasPage = file !== undefined && file.kind !== "deleted";
  const pageName = hasPage ? toPageName(project, file.path) : undefined;
  const [headExport, baseExport] = await Promise.all([
    staticExports.findNewest(scope, head),
    staticExports.findNewest(scope, base),
  ]);
  const headAddress = branch
    ? addresses.preview(
        { projectId: project.id, jobId: branch.jobId, branchNumber: branch.number },
        pageName,
      )
    : getPreviewAddress(headExport?.job);
  function getPreviewAddress(job: { readonly jobId: string; readonly status: string } | undefined) {
    return job?.status === "completed"
      ? `${addresses.export(project.id, job.jobId)}/preview`
      : undefined;
  }
  return [
    { href: headAddress, text: "Open the site with these changes" },
    { href: getPreviewAddress(baseExport?.job), text: `Open the site of ${base}` },
  ].flatMap(({ href, text }) => (href === undefined ? [] : [{ href, text }]));
}

/** Converts a page's path in the repository to its name in the bundle. */
function toPageName({ directory }: Project, path: string): string {
  return stripDirectory(directory, path).replace(/\.mdx?$/i, "");
}

function stripDirectory(directory: string, path: string): string {
  return directory !== "" && path.startsWith(`${directory}/`)
    ? path.slice(directory.length + 1)
    : path;
}

/** Builds the instruction from the message and the comments, each with the text of its line. */
async function buildInstruction(
  { reviews }: DashboardServices,
  { project, page }: OpenPullRequest,
  { message, comments }: ReviewDraft,
): Promise<string> {
  const files = new Map(page.files.map((file) => [file.path, file]));
  const texts = new Map<string, Promise<string | undefined>>();
  const readLine = async ({ path, side, line }: LineComment): Promise<string | undefined> => {
    const file = files.get(path);
    if (!file) return undefined;
    const isBefore = side === "before";
    const commit = isBefore ? page.baseCommit : page.headCommit;
    const name = isBefore ? (file.from ?? path) : path;
    const key = `${commit}:${name}`;
    if (!texts.has(key) && texts.size < maxQuotedFiles) {
      texts.set(key, reviews.readFile(project.id, { commit, path: name, maxBytes: maxTextBytes }));
    }
    const text = await texts.get(key);
    return text?.split("\n", line)[line - 1]?.trimEnd();
  };
  const writtenComments = comments.filter(
    ({ text, path }) => text.trim() !== "" && files.has(path),
  );
  const quotedComments: QuotedComment[] = [];
  for (const comment of writtenComments) {
    const quote = await readLine(comment);
    quotedComments.push({
      ...comment,
      path: stripDirectory(project.directory, comment.path),
      quote,
    });
  }
  return toInstruction(message, quotedComments);
}
