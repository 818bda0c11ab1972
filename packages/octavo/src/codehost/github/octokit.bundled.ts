/**
 * The exports of Octokit that are used. The build bundles only these from packages of 28 MB, most of which are types.
 */
export { createAppAuth } from "@octokit/auth-app";
export { retry } from "@octokit/plugin-retry";
export { throttling } from "@octokit/plugin-throttling";
export { Octokit } from "@octokit/rest";
