import { join } from "node:path";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { createReportReader, createUnpackedBundles } from "../bundles/index.ts";
import { attemptSeconds, sessionSeconds } from "../people/index.ts";
import { deriveKey } from "../projects/index.ts";
import { createAddresses } from "./addresses.ts";
import { serveAssets } from "./assets.ts";
import { createPageOptions, requirePageRight } from "./page-rights.ts";
import { acceptForms } from "./form.ts";
import { setPageHeaders } from "./headers.ts";
import { createViewRenderer } from "./large-views.ts";
import { renderDocument } from "./layout.ts";
import type { PageFrame } from "./layout.ts";
import { createOperatorHook } from "./operator.ts";
import type { PageTools } from "./page-tools.ts";
import { renderErrorPage, getErrorTitle } from "./pages/failure.ts";
import { addAgentJobPages } from "./routes/agent-jobs.ts";
import { addBranchPreviewPages } from "./routes/branch-previews.ts";
import { addExportPages } from "./routes/exports.ts";
import { addKeyPages } from "./routes/keys.ts";
import { addAuditPages } from "./routes/audit.ts";
import { addHealthPages } from "./routes/health.ts";
import { addMemberPages } from "./routes/members.ts";
import { addNewProjectPages } from "./routes/new-project.ts";
import { addPreviewPages } from "./routes/previews.ts";
import { addProjectPages } from "./routes/projects.ts";
import { addProjectFieldsPages, addProjectSettingsPages } from "./routes/project-settings.ts";
import { addProjectSourcesPages } from "./routes/project-sources.ts";
import { addPullRequestPages } from "./routes/pull-requests.ts";
import { addReviewPages } from "./routes/review.ts";
import { addWebhookPages } from "./routes/webhooks.ts";
import { addSignInPages } from "./routes/sign-in.ts";
import { createPreviewPasses } from "./session/preview-passes.ts";
import { refuseOtherOrigins } from "./session/same-origin.ts";
import { createCookie } from "./session/session-cookie.ts";
import type { DashboardOptions, DashboardServices } from "./services.ts";
import { readSession, requireSession } from "./session/sessions.ts";

/**
 * Returns the dashboard's pages as routes for the HTTP server. A request passes through the header hook, the session
 * hook, the origin check (POST only) and then the route. Any error becomes a page with the message that the API would
 * return.
 */
export function createDashboard(options: DashboardOptions): FastifyPluginAsync<PageTools> {
  return async (app, tools) => {
    const addresses = createAddresses(tools.basePath);
    const shell: PageFrame = { addresses, assets: await serveAssets(app) };
    const isSecure = options.baseUrl().startsWith("https:");
    const services: DashboardServices = {
      ...options,
      linkToBundle: tools.linkToBundle,
      toErrorResponse: tools.toErrorResponse,
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
        maxAgeSeconds: attemptSeconds,
      }),
      readReport: createReportReader(options.storage, options.isolation),
      renderView: createViewRenderer(options.isolation, tools.basePath),
      previewPasses: createPreviewPasses(deriveKey(options.secret, "dashboard cookies")),
      unpackedBundles: createUnpackedBundles(options.storage, join(options.cacheDir, "previews")),
      sendPage: (request, reply, page) => {
        const { holder, isOperator } = request;
        return reply
          .type("text/html; charset=utf-8")
          .send(renderDocument(shell, { ...page, holder, isOperator }));
      },
    };
    app.decorateRequest("holder", undefined);
    app.decorateRequest("isOperator", false);
    await app.register(async (pages) => addPages(pages, services, tools));
  };
}

async function addPages(
  app: FastifyInstance,
  services: DashboardServices,
  { toErrorResponse }: PageTools,
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
  app.addHook("onRequest", setPageHeaders);
  app.addHook("onRequest", readSession(services));
  app.addHook("onRequest", async ({ method, headers }) => {
    if (method === "POST") refuseOtherOrigins(headers, baseUrl());
  });
  addSignInPages(app, services);
  addPreviewPages(app, services);
  await app.register(async (signedIn) => {
    signedIn.addHook("onRequest", requireSession(services));
    signedIn.addHook("onRequest", createOperatorHook(services.operator.findOperator));
    signedIn.addHook("preHandler", requirePageRight);
    addNewProjectPages(signedIn, services);
    addProjectPages(signedIn, services);
    addProjectSettingsPages(signedIn, services);
    addProjectFieldsPages(signedIn, services);
    addProjectSourcesPages(signedIn, services);
    addExportPages(signedIn, services);
    addAgentJobPages(signedIn, services);
    addBranchPreviewPages(signedIn, services);
    addPullRequestPages(signedIn, services);
    addReviewPages(signedIn, services);
    addKeyPages(signedIn, services);
    addMemberPages(signedIn, services);
    addAuditPages(signedIn, services);
    addWebhookPages(signedIn, services);
    addHealthPages(signedIn, services);
    signedIn.get("/projects/*", createPageOptions("projects.read"), async () => {
      throw new OctavoError("not_found", "This page does not exist.");
    });
  });
}
