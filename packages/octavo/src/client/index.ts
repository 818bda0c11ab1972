/** Calls a running service through its API with an address and an API key, as other programs do. */
export { createClient } from "./client.ts";
export type { Client, ServiceEvent } from "./client.ts";
export { removeLogin, readLogins, storeLogin } from "./logins.ts";
export type { Login, Logins } from "./logins.ts";
