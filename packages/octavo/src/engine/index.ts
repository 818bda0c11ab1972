/**
 * The embedded database's engine: PostgreSQL as WebAssembly (PGlite) in a thread of its own. It is separate from `db/`
 * because a service starts the thread before it loads anything else.
 */
export { EngineError, openEngine, startEngineThread } from "./engine.ts";
export type { Engine, EngineSession, EngineThread } from "./engine.ts";
export type { EngineFailure, EngineResult } from "./protocol.ts";
