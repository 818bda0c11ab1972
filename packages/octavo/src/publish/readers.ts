import { createHmac } from "node:crypto";
import { sql, type Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import { createId, createSiteToken, toPublicActor, type PublicActor } from "../core/index.ts";
import { transact } from "../db/index.ts";
import type { Row, SiteVisibility, Tables } from "../db/index.ts";
import { deriveKey, recordEvent, toColumn } from "../projects/index.ts";
import type { ActorScope, Project } from "../projects/index.ts";
import { parseLabel } from "./labels.ts";
import { announceSite, lockSite } from "./site-row.ts";
import { findLabel, formatOrigin, type SitesDomain } from "./sites-domain.ts";
import type { Sites } from "./sites.ts";

/** The maximum number of links of a site. */
const maxLinks = 50;
/** The maximum lifetime of a link, in days. */
export const maxLinkDays = 90;
/** The maximum length of a link's note, which describes its purpose. */
export const maxLinkNoteLength = 200;
const dayMs = 24 * 60 * 60 * 1000;
/** The lifetime of a member token, which a browser uses immediately. */
const memberTokenLifetimeMs = 60_000;

/** A link that opens a closed site for everybody who has it. */
export interface SiteLink {
  readonly id: string;
  /** The person or purpose that the link is for. */
  readonly note: string;
  readonly url: string;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  readonly createdBy: PublicActor | null;
}

type LinkedProject = Pick<Project, "id" | "name" | "domain">;

/** The readers' access to closed sites. Callers check that the caller's scope has access to the project. */
export interface SiteReaders {
  /** Lists the links that have not expired, newest first. */
  listLinks(project: LinkedProject): Promise<readonly SiteLink[]>;
  /** Throws `conflict` if the site has too many links. */
  createLink(
    by: ActorScope,
    project: LinkedProject,
    link: { readonly note: string; readonly days: number },
  ): Promise<SiteLink>;
  /** Revokes a link, including for readers who have used it. Throws `not_found` if the site has no such link. */
  revokeLink(by: ActorScope, project: LinkedProject, linkId: string): Promise<void>;
  /** Finds the site of a host. `host` is in lower case and punycode. */
  findSite(
    host: string,
  ): Promise<{ readonly projectId: string; readonly visibility: SiteVisibility } | undefined>;
  /** Returns a short-lived address at which a member's browser can open a site. */
  createMemberAddress(request: MemberRequest): string;
}

/** The request of a member's browser, as the site sent it to the dashboard. */
export interface MemberRequest {
  readonly projectId: string;
  readonly host: string;
  readonly state: string;
  /** The path on the site to open afterward. */
  readonly to: string;
}

export interface SiteReadersOptions {
  readonly db: Kysely<Tables>;
  readonly sites: Pick<Sites, "read">;
  readonly domain: () => SitesDomain;
  readonly siteSecret: (projectId: string) => Uint8Array;
}

/** Returns the function that derives the secret of each project's site, which signs access to the site. */
export function createSiteSecrets(secret: string): (projectId: string) => Uint8Array {
  const key = deriveKey(secret, "sites");
  return (projectId) => createHmac("sha256", key).update(projectId).digest();
}

export function createSiteReaders(options: SiteReadersOptions): SiteReaders {
  const { db, sites, domain, siteSecret } = options;

  function toLink(row: Row<"site_links">, origin: string): SiteLink {
    const { id, note, expires_at: expiresAt, created_at: createdAt } = row;
    const grant = { use: "link", host: new URL(origin).hostname, expiresAt, state: id } as const;
    const token = createSiteToken(siteSecret(row.project_id), grant);
    const url = formatOpenUrl(origin, { token, to: "/" });
    return { id, note, url, expiresAt, createdAt, createdBy: toPublicActor(row.created_by) };
  }

  return {
    async listLinks(project) {
      const [rows, { url }] = await Promise.all([
        selectLinks(db, project.id).orderBy("id", "desc").execute(),
        sites.read(project),
      ]);
      return rows.map((row) => toLink(row, url));
    },

    async createLink(by, project, link) {
      const row = await insertLink(db, by, { ...link, project });
      return toLink(row, (await sites.read(project)).url);
    },

    revokeLink: (by, project, linkId) => deleteLink(db, by, { project, linkId }),

    async findSite(host) {
      const label = findLabel(domain(), host);
      const sitesOfHost = db
        .selectFrom("sites")
        .select(["sites.project_id as projectId", "visibility"]);
      return await (
        label === undefined
          ? sitesOfHost
              .innerJoin("site_domains", "site_domains.project_id", "sites.project_id")
              .where("name", "=", host)
              .where("proven_at", "is not", null)
          : sitesOfHost.where("slug", "=", parseLabel(label).slug)
      ).executeTakeFirst();
    },

    createMemberAddress({ projectId, host, state, to }) {
      const expiresAt = new Date(Date.now() + memberTokenLifetimeMs);
      const grant = { use: "member", host, expiresAt, state } as const;
      const token = createSiteToken(siteSecret(projectId), grant);
      return formatOpenUrl(formatOrigin(domain(), host), { token, to });
    },
  };
}

async function insertLink(
  db: Kysely<Tables>,
  by: ActorScope,
  link: { readonly project: LinkedProject; readonly note: string; readonly days: number },
): Promise<Row<"site_links">> {
  const { project, note, days } = link;
  const id = createId("siteLink");
  const expiresAt = new Date(Date.now() + days * dayMs);
  return await transact(db, async (transaction) => {
    await lockSite(transaction, project.id);
    await transaction
      .deleteFrom("site_links")
      .where("project_id", "=", project.id)
      .where("expires_at", "<=", sql<Date>`now()`)
      .execute();
    const links = await selectLinks(transaction, project.id).execute();
    if (links.length >= maxLinks) {
      throw new OctavoError(
        "conflict",
        `A site can have at most ${maxLinks} links. Revoke one first.`,
      );
    }
    const values = { id, project_id: project.id, note, expires_at: expiresAt };
    const row = await transaction
      .insertInto("site_links")
      .values({ ...values, created_by: toColumn(by.actor) })
      .returningAll()
      .executeTakeFirstOrThrow();
    await announceSite(transaction, project.id);
    const target = { id, name: note };
    const event = { action: "site_link.created", target, projectId: project.id } as const;
    await recordEvent(transaction, by, event);
    return row;
  });
}

async function deleteLink(
  db: Kysely<Tables>,
  by: ActorScope,
  { project, linkId }: { readonly project: LinkedProject; readonly linkId: string },
): Promise<void> {
  await transact(db, async (transaction) => {
    const row = await transaction
      .deleteFrom("site_links")
      .where("project_id", "=", project.id)
      .where("id", "=", linkId)
      .returning("note")
      .executeTakeFirst();
    if (!row) {
      const shownId = JSON.stringify(linkId.slice(0, 100));
      throw new OctavoError("not_found", `The site does not have the link ${shownId}.`);
    }
    await announceSite(transaction, project.id);
    const target = { id: linkId, name: row.note };
    const event = { action: "site_link.revoked", target, projectId: project.id } as const;
    await recordEvent(transaction, by, event);
  });
}

/** Selects the links of a site that have not expired. */
function selectLinks(handle: Kysely<Tables>, projectId: string) {
  return handle
    .selectFrom("site_links")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("expires_at", ">", sql<Date>`now()`);
}

function formatOpenUrl(
  origin: string,
  query: { readonly token: string; readonly to: string },
): string {
  return `${origin}/_octavo/open?${new URLSearchParams(query).toString()}`;
}
