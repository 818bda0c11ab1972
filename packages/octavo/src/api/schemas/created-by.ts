import { z } from "zod";

export const actor = z
  .object({
    type: z.enum(["key", "person"]),
    id: z.string().meta({ description: "ID of the API key or the person." }),
    name: z.string().meta({ description: "The name at the time of the action." }),
  })
  .meta({ id: "Actor", description: "The API key or person that performed an action." });

/** The actor that created a resource. */
export const createdBy = actor.nullable().meta({
  description:
    "Who created the resource. Null if the operator, the service itself or an older version of the service created " +
    "it.",
});
