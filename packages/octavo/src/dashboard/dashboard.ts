import { join } from "node:path";
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { createReportReader, createUnpackedBundles } from "../bundles/index.ts";
import { signInTimeoutSeconds, sessionSeconds } from "../people/index.ts";
import { deriveKey } from "../projects/index.ts";
import { createAddresses, type Addresses } from "./addresses.ts";
import { serveAssets } from "./assets.ts";
import { createPageOptions, publicPageOptions, requirePageRight } from "./page-rights.ts";
import { acceptForms } from "./form.ts";
import { pageHeaders } from "./headers.ts";
import { createViewRenderer } from "./large-views.ts";
import { renderDocument, type PageFrame } from "./layout.ts";
import { createOperatorHook } from "./operator.ts";
import type { HttpServerFunctions } from "./page-tools.ts";
import { addAgentJobPages } from "./routes/agent-jobs.ts";
import { addAgentPreviewPages } from "./routes/agent-previews.ts";
import { addDeploymentPages } from "./routes/deployments.ts";
import { addExportPages } from "./routes/exports.ts";
import { addKeyPages } from "./routes/keys.ts";
import { addAuditPages } from "./routes/audit.ts";
import { addHealthPages } from "./routes/health.ts";
import { addHookPages } from "./routes/hook.ts";
import { addMemberPages } from "./routes/members.ts";
import { addNewProjectPages } from "./routes/new-project.ts";
import { addPreviewFiles, addPreviewPages } from "./routes/previews.ts";
import { addProjectPages } from "./routes/projects.ts";
import { addProjectSettingsPages } from "./routes/project-settings.ts";
import { addReviewNotesPages } from "./routes/review-notes.ts";
import { addSiteVersionPages } from "./routes/site-versions.ts";
import { addProjectSourcesPages } from "./routes/project-settings.ts";
import { addProblemPages } from "./routes/problems.ts";
import { addPullRequestPages } from "./routes/pull-requests.ts";
import { addSearchPage } from "./routes/search.ts";
import { addReviewPages } from "./routes/review.ts";
import { addSiteSettingsPages } from "./routes/site-settings.ts";
import { addWebhookPages } from "./routes/webhooks.ts";
import { addSignInPages } from "./routes/sign-in.ts";
import { createPreviewTokens } from "./session/preview-passes.ts";
import { createCookie, readSession, requireSession } from "./session/sessions.ts";
import { safeHtml, type SafeHtml } from "./safe-html.ts";
import type { DashboardOptions, DashboardServices } from "./services.ts";

/**
 * Returns the dashboard's pages as routes for the HTTP server. A request passes through the header hook, the session
 * hook, the origin check (POST only) and then the route. Any error is shown as a page with the message that the API
 * would return.
 */
export function createDashboard(
  options: DashboardOptions,
): FastifyPluginAsync<HttpServerFunctions> {
  return async (app, serverFunctions) => {
    const addresses = createAddresses(serverFunctions.basePath);
    const pageFrame: PageFrame = { addresses, assets: await serveAssets(app) };
    const isSecure = options.baseUrl().startsWith("https:");
    const services: DashboardServices = {
      ...options,
      linkToBundle: serverFunctions.linkToBundle,
      toErrorResponse: serverFunctions.toErrorResponse,
      addresses,
      cookie: createCookie({
        name: "octavo",
        isSecure,
        sameSite: "Strict",
        maxAgeSeconds: sessionSeconds,
      }),
      attemptCookie: createCookie({
        name: "octavo-signin",
        isSecure,
        sameSite: "Lax",
        maxAgeSeconds: signInTimeoutSeconds,
      }),
      readReport: createReportReader(options.storage, options.isolation),
      renderView: createViewRenderer(options.isolation, serverFunctions.basePath),
      previewTokens: createPreviewTokens(deriveKey(options.secret, "dashboard cookies")),
      unpackedBundles: createUnpackedBundles(options.storage, join(options.cacheDir, "previews")),
      sendPage: (request, reply, page) => {
        const { user, isOperator } = request;
        return reply
          .type("text/html; charset=utf-8")
          .send(renderDocument(pageFrame, { ...page, user, isOperator }));
      },
    };
    app.decorateRequest("user", undefined);
    app.decorateRequest("isOperator", false);
    await app.register(async (pages) => addPages(pages, services, serverFunctions));
    serverFunctions.setMissingPageSender((request, reply, sentence) => {
      const view = { status: 404, sentence, requestId: request.id };
      const main = renderErrorPage(addresses, view);
      return reply
        .headers(pageHeaders)
        .type("text/html; charset=utf-8")
        .send(renderDocument(pageFrame, { title: getErrorTitle(404), main }));
    });
  };
}

async function addPages(
  app: FastifyInstance,
  services: DashboardServices,
  { toErrorResponse }: HttpServerFunctions,
): Promise<void> {
  const { addresses, sendPage, baseUrl } = services;
  acceptForms(app);
  app.setErrorHandler((error, request, reply) => {
    const { status, headers, body } = toErrorResponse(error);
    if (status >= 500) request.log.error({ err: error }, "A page failed");
    const view = { status, sentence: body.error, requestId: request.id };
    return sendPage(request, reply.code(status).headers(headers), {
      title: getErrorTitle(status),
      main: renderErrorPage(addresses, view),
    });
  });
  app.addHook("onRequest", async (_request, reply) => void reply.headers(pageHeaders));
  app.addHook("onRequest", readSession(services));
  app.addHook("onRequest", async ({ method, headers }) => {
    if (method === "POST") refuseOtherOrigins(headers, baseUrl());
  });
  const addFormRedirects = collectFormPaths(app, addresses);
  addSignInPages(app, services);
  addPreviewFiles(app, services);
  await app.register(async (signedIn) => {
    signedIn.addHook("onRequest", requireSession(services));
    signedIn.addHook("onRequest", createOperatorHook(services.operator.findOperator));
    signedIn.addHook("preHandler", requirePageRight);
    addNewProjectPages(signedIn, services);
    addProjectPages(signedIn, services);
    addDeploymentPages(signedIn, services);
    addHookPages(signedIn, services);
    addSiteSettingsPages(signedIn, services);
    addProjectSettingsPages(signedIn, services);
    addProjectSourcesPages(signedIn, services);
    addReviewNotesPages(signedIn, services);
    addSiteVersionPages(signedIn, services);
    addExportPages(signedIn, services);
    addProblemPages(signedIn, services);
    addAgentJobPages(signedIn, services);
    addAgentPreviewPages(signedIn, services);
    addPreviewPages(signedIn, services);
    addPullRequestPages(signedIn, services);
    addReviewPages(signedIn, services);
    addKeyPages(signedIn, services);
    addMemberPages(signedIn, services);
    addAuditPages(signedIn, services);
    addWebhookPages(signedIn, services);
    addHealthPages(signedIn, services);
    addSearchPage(signedIn, services);
    signedIn.get("/projects/*", createPageOptions("projects.read"), async () => {
      throw new OctavoError("not_found", "This page does not exist.");
    });
  });
  addFormRedirects();
}

/**
 * Collects the paths of the routes that are added after this call. Call the returned function after the last route is
 * added. For each path that only receives a form, it adds a redirect to the page with the form, because the path is in
 * the browser's address bar while a refused form is shown.
 */
function collectFormPaths(app: FastifyInstance, { fromRoute }: Addresses): () => void {
  const methodsByPath = new Map<string, string[]>();
  const isPage = (path: string): boolean => methodsByPath.get(path)?.includes("GET") ?? false;
  app.addHook("onRoute", ({ url, method }) => {
    methodsByPath.set(url, [...(methodsByPath.get(url) ?? []), method].flat());
  });
  return () => {
    for (const path of [...methodsByPath.keys()].filter((url) => !isPage(url))) {
      let segmentCount = path.split("/").length;
      while (segmentCount > 1 && !isPage(path.split("/", segmentCount).join("/")))
        segmentCount -= 1;
      app.get(path, publicPageOptions, async ({ url }, reply) =>
        reply.redirect(fromRoute(url.split("/", segmentCount).join("/") || "/"), 303),
      );
    }
  };
}

interface ErrorView {
  readonly status: number;
  readonly sentence: string;
  readonly requestId: string;
}

const errorTitles: Readonly<Record<number, string>> = {
  400: "Invalid request",
  403: "Not allowed",
  404: "Not found",
  409: "Conflict",
  410: "Gone",
  429: "Too many requests",
  503: "Not available",
};

function getErrorTitle(status: number): string {
  return errorTitles[status] ?? (status < 500 ? "Request failed" : "Internal error");
}

function renderErrorPage(
  addresses: Addresses,
  { status, sentence, requestId }: ErrorView,
): SafeHtml {
  return safeHtml`<div class="failure">
    <p class="status">${status}</p>
    <h1>${getErrorTitle(status)}</h1>
    <p>${sentence}</p>
    <p class="actions">
      <a class="button" href="${addresses.root}">Go to the projects</a>
      <a class="button" href="${addresses.manual}">Read the manual</a>
    </p>
    <p class="faint">Request <code>${requestId}</code></p>
  </div>`;
}

/**
 * Refuses a request that a page of another site sent. `SameSite=Strict` already withholds the session's cookie from
 * such requests. This check also covers browsers that do not support it, and the sign-in, which requires no cookie.
 *
 * Browsers send the source of the request in `Sec-Fetch-Site` on https and on localhost, and otherwise in `Origin`. A
 * page cannot set either header.
 */
function refuseOtherOrigins(headers: IncomingHttpHeaders, baseUrl: string): void {
  const site = headers["sec-fetch-site"];
  const isFromDashboard =
    site === undefined ? isOwnOrigin(headers, baseUrl) : site === "same-origin";
  if (isFromDashboard) return;
  throw new OctavoError(
    "forbidden",
    "The request did not come from a page of this dashboard and was refused. Open the dashboard and try again.",
  );
}

function isOwnOrigin({ origin, host }: IncomingHttpHeaders, baseUrl: string): boolean {
  const source = URL.parse(origin ?? "");
  if (!source) return false;
  // A service can have several names, e.g. localhost and 127.0.0.1, so the request's own host is also accepted.
  return source.origin === URL.parse(baseUrl)?.origin || source.host === host;
}
