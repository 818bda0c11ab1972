/** Who did something: the holder of a key, or a person who was signed in. */
export interface Actor {
  readonly type: "key" | "person";
  readonly id: string;
  /** As it was at that time. */
  readonly name: string;
  /** Of a person, if the provider verified it. */
  readonly email?: string | undefined;
}

/** An actor as others see it. */
export type PublicActor = Pick<Actor, "type" | "id" | "name">;

/** Null stays null: the operator at the command line, or the service itself. */
export function toPublicActor(actor: Actor | null): PublicActor | null {
  return actor && { type: actor.type, id: actor.id, name: actor.name };
}
