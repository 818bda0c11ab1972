import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { codeHostNames, commitConventions, toPublicActor } from "../../core/index.ts";
import {
  maxSources,
  requireWholeOrganization,
  type Project,
  type PullRequestSettings,
} from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { parseBasePath } from "../base-path.ts";
import { createPageQuery, nextCursor, toCursor } from "../cursor.ts";
import { expectNoBody } from "../request-body.ts";
import { declareRight } from "../route-rights.ts";
import {
  createdBy,
  describeEmptyResponse,
  describeErrorResponses,
  describeJsonResponse,
  describeTimestamp,
  locationHeader,
} from "../schemas/responses.ts";
import { remoteScripts } from "../schemas/static-export.ts";

const name = z.string().min(1).max(200);
const model = z.string().min(1).max(200);
const codeHost = z.enum(
  codeHostNames,
  `must be one of ${codeHostNames.join(", ")}; other code hosts are not supported`,
);
const addressText = z.string().min(1).max(2_000);

/** A secret without surrounding whitespace, because text copied from a page or file often ends with a line break. */
const secretText = z.string().trim().min(1).max(20_000);
const oneLinePattern = /^\P{Cc}*$/u;
const token = secretText.regex(oneLinePattern);
const username = z.string().min(1).max(200).regex(oneLinePattern);
const credentials = z
  .union(
    [
      token.transform((password) => ({ password })),
      z
        .strictObject({ username: username.optional(), token })
        .transform(({ username: name, token: password }) => ({
          ...(name && { username: name }),
          password,
        })),
      z.strictObject({ username, password: token }),
      z.strictObject({ privateKey: secretText }),
    ],
    "must be a token, {username, password}, {username, token} or {privateKey}; tokens, names and passwords must " +
      "be one line",
  )
  .meta({
    description:
      "The credentials for the repository: a token for https, or a private key for ssh. Stored encrypted and never " +
      "returned.",
    writeOnly: true,
  });

const pullRequestFields = {
  draft: z.boolean().meta({ description: "Whether pull requests are opened as drafts." }),
  labels: z
    .array(z.string().max(200))
    .max(100)
    .meta({
      description: "Labels of new pull requests; not supported for pull requests on this service.",
      example: ["docs"],
    }),
  reviewers: z
    .array(z.string().max(200))
    .max(100)
    .meta({
      description:
        "Reviewers of new pull requests: users, or teams as `organization/team`; not supported for pull requests on " +
        "this service.",
      example: ["octocat", "acme/docs"],
    }),
  branchPrefix: z
    .string()
    .max(200)
    .meta({ description: "Prefix of the names of agent jobs' branches.", example: "octavo/" }),
  author: z
    .strictObject({ name: z.string().max(500), email: z.string().max(500) })
    .nullable()
    .meta({ description: "Author of the commits; null means the service." }),
  commitConvention: z
    .enum(commitConventions, "must be conventional or plain")
    .nullable()
    .meta({
      description:
        "The style of the titles of commits and pull requests: `docs: ...`, or plain words. If null, the style follows " +
        "the newest commits.",
    }),
};
const pullRequests = z
  .object(pullRequestFields)
  .meta({ id: "PullRequestSettings", description: "How agent jobs open pull requests." });
const pullRequestChanges = z
  .strictObject({
    draft: pullRequestFields.draft.nullable(),
    labels: pullRequestFields.labels.nullable(),
    reviewers: pullRequestFields.reviewers.nullable(),
    branchPrefix: pullRequestFields.branchPrefix.nullable(),
    author: pullRequestFields.author,
    commitConvention: pullRequestFields.commitConvention,
  })
  .partial()
  .meta({ description: "Omitted fields keep their values; null removes a value." });

const projectFields = {
  name: name.meta({ description: "Display name.", example: "Product documentation" }),
  domain: z
    .string()
    .max(253)
    .meta({ description: "Host name, unique in the service.", example: "docs.example.com" }),
  repository: addressText.meta({
    description:
      "https or ssh address of the Git repository without credentials, or `local` for an empty repository that the " +
      "service hosts.",
    example: "https://github.com/acme/docs",
  }),
  ref: z.string().min(1).max(255).nullable().meta({
    description:
      "The branch that is exported and that agents work on; null means the remote's HEAD.",
    example: "main",
  }),
  directory: z
    .string()
    .max(1_000)
    .meta({ description: "The site's folder in the repository.", example: "docs" }),
  codeHost: codeHost.meta({
    description:
      "Where pull requests are opened. Use `gitea` for Forgejo, too. Inferred from the repository if omitted.",
  }),
  model: model.nullable().meta({
    description: "Model of agent jobs, as `provider/model`; null means the service's default.",
    example: "builtin/recipes",
  }),
  remoteScripts: remoteScripts.meta({
    description:
      "Hosts from which pages of exports may load scripts, styles, fonts, frames and data; none if the list is " +
      "empty. The new list replaces the previous one.",
    example: ["https://plausible.io"],
  }),
};

const sourceFields = {
  repository: addressText.meta({
    description: "https or ssh address of the repository, without credentials.",
    example: "https://github.com/acme/engine",
  }),
  ref: projectFields.ref.meta({
    description: "Branch, tag or commit; null means the remote's HEAD.",
    example: "main",
  }),
  directory: projectFields.directory.meta({
    description: "The folder that agents may read; `.` means the whole repository.",
    example: "src",
  }),
};
const source = z.object(sourceFields).meta({
  id: "Source",
  description: "A repository that the project's agents may read but never change.",
});
const newSource = z
  .strictObject({
    repository: sourceFields.repository,
    ref: sourceFields.ref.optional(),
    directory: sourceFields.directory.optional(),
    credentials: credentials.nullable().optional(),
  })
  .meta({
    id: "NewSource",
    description:
      "If `credentials` are omitted, those stored for the same repository are kept; null removes them.",
  });
const newSources = z.array(newSource).max(maxSources).meta({
  description: "The repositories that agents may read. The new list replaces the previous one.",
});

const project = z
  .object({
    id: z.string().meta({ example: "pr_06f4k2…" }),
    ...projectFields,
    pullRequests,
    signingPublicKey: z.string().nullable().meta({
      description:
        "The public half of the key that signs the commits of agent jobs; null if commits are not signed.",
    }),
    sources: z
      .array(source)
      .meta({ description: "Repositories that the project's agents may read." }),
    createdBy,
    createdAt: describeTimestamp("When the project was created."),
  })
  .meta({ id: "Project", description: "A documentation site and its repository." });

const { name: nameField, domain, repository, ...otherFields } = projectFields;
const createProject = z
  .strictObject({
    name: nameField,
    domain,
    repository,
    ref: otherFields.ref.optional(),
    directory: otherFields.directory.optional(),
    codeHost: otherFields.codeHost.optional(),
    model: otherFields.model.optional(),
    testModel: z.boolean().optional().meta({
      description:
        "Whether a new model is called once, with a few tokens, before anything is stored. If the call fails, the request is refused with the reason. Built-in models are only looked up. Default: `true`.",
      writeOnly: true,
    }),
    remoteScripts: otherFields.remoteScripts.optional(),
    pullRequests: pullRequestChanges.optional(),
    credentials: credentials.nullable().optional(),
    signingKey: secretText.nullable().optional().meta({
      description:
        "SSH private key (Ed25519 or RSA, OpenSSH's format, no passphrase) that signs the commits of agent jobs. Stored encrypted and never returned.",
      writeOnly: true,
    }),
    sources: newSources.optional(),
  })
  .meta({ id: "CreateProject" });

const updateProject = createProject.partial().meta({ id: "UpdateProject" });

const projectPath = z.object({
  projectId: z.string().meta({ description: "The project's ID, which the API keys page shows." }),
});
const projectQuery = z.object(createPageQuery("project"));
const projectList = z
  .object({ projects: z.array(project), nextCursor })
  .meta({ id: "ProjectList", description: "Newest first." });

const tags = ["Projects"];

/** The requests, responses and descriptions of the routes. */
const projectOperations = {
  create: {
    operationId: "createProject",
    summary: "Create a project",
    tags,
    body: createProject,
    response: {
      201: describeJsonResponse(
        "The new project; `Location` contains its path.",
        project,
        locationHeader,
      ),
      ...describeErrorResponses(400, 401, 403, 409, 413, 415, 503),
    },
  },
  list: {
    operationId: "listProjects",
    summary: "List projects",
    tags,
    querystring: projectQuery,
    response: {
      200: describeJsonResponse("Projects to which the key has access, newest first.", projectList),
      ...describeErrorResponses(400, 401, 403, 503),
    },
  },
  get: {
    operationId: "getProject",
    summary: "Get a project",
    tags,
    params: projectPath,
    response: {
      200: describeJsonResponse("The project.", project),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
  update: {
    operationId: "updateProject",
    summary: "Change a project",
    description:
      "Omitted fields keep their values. If the repository changes and no new credentials or signing key are given, " +
      "the stored ones are removed because they belong to a different repository.",
    tags,
    params: projectPath,
    body: updateProject,
    response: {
      200: describeJsonResponse("The updated project.", project),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
  remove: {
    operationId: "deleteProject",
    summary: "Delete a project",
    description:
      "Also deletes the project's jobs and the API keys that are limited to it. Such a key cannot make this call. " +
      "A repository on a code host stays; a repository that this service hosts is deleted with the project.",
    tags,
    params: projectPath,
    response: {
      204: describeEmptyResponse("The project is deleted."),
      ...describeErrorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
};

const projectsPath = "/v2/projects";

export function addProjectRoutes(api: Api, { projects, baseUrl }: ApiServices): void {
  /**
   * Finds the project in the path before the body is checked, so that a 404 takes precedence over every error in the
   * body.
   */
  async function findProject(request: FastifyRequest): Promise<void> {
    const { projectId } = request.params as { projectId: string };
    await projects.get(request.caller, projectId);
  }

  api.post(
    projectsPath,
    { schema: projectOperations.create, ...declareRight("projects.write") },
    async ({ caller, body }, reply) => {
      const checkedFields = projects.check(body);
      requireWholeOrganization(caller, "create projects");
      const created = await projects.create(caller.organizationId, checkedFields, caller.actor);
      const location = `${parseBasePath(baseUrl())}${projectsPath}/${created.id}`;
      return reply.code(201).header("location", location).send(toBody(created));
    },
  );

  api.get(
    projectsPath,
    { schema: projectOperations.list, ...declareRight("projects.read") },
    async ({ caller, query: { limit, cursor } }) => {
      const { items, next } = await projects.list(caller, { limit, before: cursor });
      return { projects: items.map(toBody), nextCursor: toCursor(next) };
    },
  );

  api.get(
    `${projectsPath}/:projectId`,
    { schema: projectOperations.get, ...declareRight("projects.read") },
    async ({ caller, params }) => toBody(await projects.get(caller, params.projectId)),
  );

  const updateOptions = {
    schema: projectOperations.update,
    ...declareRight("projects.write"),
    onRequest: findProject,
  };
  api.patch(`${projectsPath}/:projectId`, updateOptions, async ({ caller, params, body }) =>
    toBody(await projects.update(caller, params.projectId, body)),
  );

  const removeOptions = {
    schema: projectOperations.remove,
    ...declareRight("projects.write"),
    onRequest: findProject,
    preValidation: expectNoBody,
  };
  api.delete(`${projectsPath}/:projectId`, removeOptions, async ({ caller, params }, reply) => {
    await projects.remove(caller, params.projectId);
    return reply.code(204).send();
  });
}

function toBody(project: Project) {
  return {
    id: project.id,
    name: project.name,
    domain: project.domain,
    repository: project.repository,
    ref: project.ref,
    directory: project.directory,
    codeHost: project.codeHost,
    model: project.model,
    remoteScripts: [...project.remoteScripts],
    pullRequests: toPullRequestsBody(project.pullRequests),
    signingPublicKey: project.signingPublicKey,
    sources: [...project.sources],
    createdBy: toPublicActor(project.createdBy),
    createdAt: project.createdAt.toISOString(),
  };
}

function toPullRequestsBody({ labels, reviewers, ...settings }: PullRequestSettings) {
  return { ...settings, labels: [...labels], reviewers: [...reviewers] };
}
