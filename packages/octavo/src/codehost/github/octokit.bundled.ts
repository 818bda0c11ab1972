/** The exports of Octokit that are used. The build bundles only these, out of packages of 28 MB, most of them types. */
export { createAppAuth } from "@octokit/auth-app";
export { retry } from "@octokit/plugin-retry";
export { throttling } from "@octokit/plugin-throttling";
export { Octokit } from "@octokit/rest";
