import { z } from "zod";

export const actor = z
  .object({
    type: z.enum(["key", "person"]),
    id: z.string().meta({ description: "Of the API key or the person." }),
    name: z.string().meta({ description: "As it was then." }),
  })
  .meta({ id: "Actor", description: "Who did something." });

/** Who created a resource. */
export const createdBy = actor.nullable().meta({
  description: "Who created it; null for the operator, the service itself, and older versions.",
});
