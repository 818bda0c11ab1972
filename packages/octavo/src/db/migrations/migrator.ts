import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import type { Migration } from "kysely/migration";
import type { migrationNames } from "../migrate.ts";
import type { Tables } from "../tables.ts";
import { up as initialTables } from "./first/0001-initial-tables.ts";
import { up as pullRequests } from "./first/0002-pull-requests.ts";
import { up as agentJobs } from "./first/0003-agent-jobs.ts";
import { up as webhooks } from "./first/0004-webhooks.ts";
import { up as previews } from "./first/0005-previews.ts";
import { up as unfinishedTurns } from "./first/0006-unfinished-turns.ts";
import { up as sources } from "./first/0007-sources.ts";
import { up as pullRequestSettings } from "./first/0008-pull-request-settings.ts";
import { up as installation } from "./first/0009-installation.ts";
import { up as waitingJobs } from "./first/0011-waiting-jobs.ts";
import { up as nodes } from "./first/0013-nodes.ts";
import { up as hostedRepositories } from "./first/0014-hosted-repositories.ts";
import { up as fairShares } from "./first/0015-fair-shares.ts";
import { up as accessScopes } from "./first/0016-access-scopes.ts";
import { up as actors } from "./first/0017-actors.ts";
import { up as people } from "./first/0018-people.ts";
import { up as exportProgress } from "./first/0020-export-progress.ts";
import { up as remoteScripts } from "./first/0021-remote-scripts.ts";
import { up as messagesKept } from "./first/0023-messages-kept.ts";
import { up as pageAddresses } from "./first/0025-page-addresses.ts";
import { up as agentCosts } from "./first/0026-agent-costs.ts";
import { up as webhookCreators } from "./first/0027-webhook-creators.ts";
import { up as memberDomains } from "./first/0028-member-domains.ts";
import { up as cleanAddresses } from "./0030-clean-addresses.ts";
import { up as deployments } from "./0031-deployments.ts";
import { up as reviewNotes } from "./0032-review-notes.ts";
import { up as siteDomains } from "./0033-site-domains.ts";
import { up as changedFiles } from "./0034-changed-files.ts";
import { up as siteVersions } from "./0035-site-versions.ts";
import { up as siteLinks } from "./0036-site-links.ts";
import { up as hooks } from "./0037-hooks.ts";
import { up as repositoryPolls } from "./0038-repository-polls.ts";
import { up as requestedChanges } from "./0039-requested-changes.ts";
import { up as certificates } from "./0040-certificates.ts";
import { up as repositoryRefs } from "./0041-repository-refs.ts";
import { up as branchPreviews } from "./0042-branch-previews.ts";
import { up as settledVisibility } from "./0043-settled-visibility.ts";
import { up as codeHosts } from "./0044-code-hosts.ts";
import { up as gitlab } from "./0045-gitlab.ts";
import { up as reviews } from "./0046-reviews.ts";

/** The migrations, in order. A released migration is never changed. */
const migrations: Readonly<Record<(typeof migrationNames)[number], Migration>> = {
  "0001-initial-tables": { up: initialTables },
  "0002-pull-requests": { up: pullRequests },
  "0003-agent-jobs": { up: agentJobs },
  "0004-webhooks": { up: webhooks },
  "0005-previews": { up: previews },
  "0006-unfinished-turns": { up: unfinishedTurns },
  "0007-sources": { up: sources },
  "0008-pull-request-settings": { up: pullRequestSettings },
  "0009-installation": { up: installation },
  "0011-waiting-jobs": { up: waitingJobs },
  "0013-nodes": { up: nodes },
  "0014-hosted-repositories": { up: hostedRepositories },
  "0015-fair-shares": { up: fairShares },
  "0016-access-scopes": { up: accessScopes },
  "0017-actors": { up: actors },
  "0018-people": { up: people },
  "0020-export-progress": { up: exportProgress },
  "0021-remote-scripts": { up: remoteScripts },
  "0023-messages-kept": { up: messagesKept },
  "0025-page-addresses": { up: pageAddresses },
  "0026-agent-costs": { up: agentCosts },
  "0027-webhook-creators": { up: webhookCreators },
  "0028-member-domains": { up: memberDomains },
  "0030-clean-addresses": { up: cleanAddresses },
  "0031-deployments": { up: deployments },
  "0032-review-notes": { up: reviewNotes },
  "0033-site-domains": { up: siteDomains },
  "0034-changed-files": { up: changedFiles },
  "0035-site-versions": { up: siteVersions },
  "0036-site-links": { up: siteLinks },
  "0037-hooks": { up: hooks },
  "0038-repository-polls": { up: repositoryPolls },
  "0039-requested-changes": { up: requestedChanges },
  "0040-certificates": { up: certificates },
  "0041-repository-refs": { up: repositoryRefs },
  "0042-branch-previews": { up: branchPreviews },
  "0043-settled-visibility": { up: settledVisibility },
  "0044-code-hosts": { up: codeHosts },
  "0045-gitlab": { up: gitlab },
  "0046-reviews": { up: reviews },
};

/** Creates Kysely's migrator. This module is loaded only for a database with missing migrations. */
export function createMigrator(db: Kysely<Tables>, migrationTableName: string): Migrator {
  const provider = { getMigrations: async () => ({ ...migrations }) };
  return new Migrator({ db, provider, migrationTableName });
}
