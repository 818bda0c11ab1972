import type { FastifyReply, FastifyRequest } from "fastify";
import type { Kysely } from "kysely";
import { z } from "zod";
import { OctavoError, sha256 } from "@octavo/site/core";
import { transact } from "../db/index.ts";
import type { Tables } from "../db/index.ts";
import { toErrorResponse } from "./errors.ts";

/** The time for which a response is stored for its key. */
const retentionMs = 24 * 60 * 60 * 1000;
/** The time after which a call without a response is considered dead. Starting a job never takes this long. */
const inFlightTimeoutMs = 60_000;

export const idempotencyHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters")
    .optional()
    .meta({
      description:
        "A value of your choice. Within 24 hours, another call with the same key and body has no effect and returns " +
        "the first response, so you can safely repeat a call whose response was lost.",
    }),
});

export interface HandlerResponse<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

interface Call {
  readonly apiKeyId: string;
  readonly route: string;
  readonly key: string;
  readonly bodyHash: string;
  /**
   * The start of the call. It also identifies the call that holds the reservation: a call that replaces a dead call
   * stores its own start time.
   */
  readonly startedAt: Date;
}

/**
 * Runs `act` once per `Idempotency-Key`. The response is stored and returned again for the same request. Everything
 * that `act` writes with its handle is committed in the same transaction as the response, so that nothing is done twice
 * even after a crash. Responses with status 429 or 5xx are not stored. Throws `conflict` while the first call is
 * running, and `key_reused` if the key was used with a different body.
 */
export async function respondOnce<Body>(
  db: Kysely<Tables>,
  request: FastifyRequest,
  act: (handle: Kysely<Tables>) => Promise<HandlerResponse<Body>>,
): Promise<HandlerResponse<Body>> {
  const call = findIdempotentCall(request);
  if (!call) return transact(db, act);
  if (!(await reserve(db, call))) return replay(db, call);
  try {
    return await transact(db, async (transaction) => {
      const response = await act(transaction);
      await storeResponse(transaction, call, response);
      return response;
    });
  } catch (error) {
    const response = toErrorResponse(error);
    const isTemporary = response.status === 429 || response.status >= 500;
    await (isTemporary ? removeReservation(db, call) : storeResponse(db, call, response));
    throw error;
  }
}

export function sendResponse<Body>(
  reply: FastifyReply,
  response: HandlerResponse<Body>,
): FastifyReply {
  return reply.code(response.status).headers(response.headers).send(response.body);
}

function findIdempotentCall(request: FastifyRequest): Call | undefined {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string") return undefined;
  return {
    apiKeyId: request.caller.keyId,
    route: `${request.method} ${request.url.split("?", 1)[0]}`,
    key,
    // Validation puts the body's fields into the schema's order, however the client ordered them.
    bodyHash: request.archive?.sha256 ?? sha256(JSON.stringify(request.body ?? null)),
    startedAt: new Date(),
  };
}

/**
 * Reports whether the call may run: its key is new, or the earlier call with the key has expired or died without a
 * response.
 */
async function reserve(db: Kysely<Tables>, call: Call): Promise<boolean> {
  const now = call.startedAt.getTime();
  await db
    .deleteFrom("idempotency_keys")
    .where((where) => where.and(toKeyColumns(call)))
    .where((where) =>
      where.or([
        where("created_at", "<=", new Date(now - retentionMs)),
        where.and([
          where("status", "is", null),
          where("body_hash", "=", call.bodyHash),
          where("created_at", "<=", new Date(now - inFlightTimeoutMs)),
        ]),
      ]),
    )
    .execute();
  const row = await db
    .insertInto("idempotency_keys")
    .values({ ...toKeyColumns(call), body_hash: call.bodyHash, created_at: call.startedAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning("key")
    .executeTakeFirst();
  return row !== undefined;
}

async function replay<Body>(db: Kysely<Tables>, call: Call): Promise<HandlerResponse<Body>> {
  const row = await selectCallRow(db, call)
    .select(["body_hash", "status", "headers", "body"])
    .executeTakeFirst();
  if (row && row.body_hash !== call.bodyHash) {
    throw new OctavoError(
      "key_reused",
      "This Idempotency-Key was used with a different body; use a new key for a new request.",
    );
  }
  if (!row || row.status === null || row.body === null) {
    throw createStillRunningError();
  }
  const headers = { ...row.headers, "idempotency-replayed": "true" };
  return { status: row.status, headers, body: JSON.parse(row.body) as Body };
}

async function storeResponse(
  db: Kysely<Tables>,
  call: Call,
  response: HandlerResponse<unknown>,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable("idempotency_keys")
    .set({
      status: response.status,
      headers: JSON.stringify(response.headers),
      body: JSON.stringify(response.body),
    })
    .where((where) => where.and({ ...toKeyColumns(call), created_at: call.startedAt }))
    .executeTakeFirst();
  // This call took so long that it was considered dead. The call that took over responds.
  if (numUpdatedRows === 0n) throw createStillRunningError();
}

async function removeReservation(db: Kysely<Tables>, call: Call): Promise<void> {
  await db
    .deleteFrom("idempotency_keys")
    .where((where) => where.and({ ...toKeyColumns(call), created_at: call.startedAt }))
    .execute();
}

function createStillRunningError(): OctavoError {
  return new OctavoError(
    "conflict",
    "The first request with this Idempotency-Key is still running; try again in a moment.",
  );
}

function selectCallRow(db: Kysely<Tables>, call: Call) {
  return db.selectFrom("idempotency_keys").where((where) => where.and(toKeyColumns(call)));
}

function toKeyColumns({ apiKeyId, route, key }: Call) {
  return { api_key_id: apiKeyId, route, key };
}
