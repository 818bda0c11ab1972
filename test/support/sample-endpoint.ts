import type { Endpoint, Schema } from "../../packages/site/src/openapi/index.ts";

/** An endpoint with nothing but a method and a path, and what a test says of it. */
export function endpointOf(parts: Partial<Endpoint> = {}): Endpoint {
  return {
    kind: "operation",
    method: "get",
    path: "/plants",
    title: "List plants",
    isDeprecated: false,
    servers: [{ url: "https://api.nursery.example/v1", variables: {} }],
    security: [],
    parameters: [],
    responses: [],
    callbacks: [],
    samples: [],
    schemas: {},
    ...parts,
  };
}

const address: Schema = {
  type: ["object"],
  description: "Where the plants go.",
  required: ["street", "city", "country"],
  properties: {
    street: { type: ["string"], maxLength: 120, examples: ["12 Fern Lane"] },
    city: { type: ["string"], examples: ["Bergen"] },
    country: { type: ["string"], pattern: "^[A-Z]{2}$", examples: ["NO"] },
    note: { type: ["string", "null"], description: "What the driver should know." },
  },
};

const category: Schema = {
  type: ["object"],
  required: ["id", "label"],
  properties: {
    id: { type: ["string"], examples: ["indoor"] },
    label: { type: ["string"], examples: ["Indoor plants"] },
    parent: {
      anyOf: [{ $ref: "Category" }, { type: ["null"] }],
      description: "The wider category.",
    },
    children: { type: ["array"], items: { $ref: "Category" } },
  },
};

const orderItem: Schema = {
  type: ["object"],
  required: ["plant_id", "quantity"],
  properties: {
    plant_id: {
      type: ["string"],
      format: "uuid",
      description: "From [the catalog](/catalog).",
    },
    quantity: { type: ["integer"], minimum: 1, maximum: 500, default: 1 },
    pot: {
      type: ["string"],
      enum: ["clay", "plastic", "none"],
      default: "none",
      description: "The pot that the plant comes in.",
    },
    category: { $ref: "Category", readOnly: true },
  },
};

const payment: Schema = {
  oneOf: [{ $ref: "CardPayment" }, { $ref: "InvoicePayment" }],
  discriminator: {
    propertyName: "kind",
    mapping: { card: "CardPayment", invoice: "InvoicePayment" },
  },
};

const failure: Schema = {
  type: ["object"],
  required: ["code", "message"],
  properties: {
    code: { type: ["string"], enum: ["not_found", "out_of_stock", "invalid"] },
    message: {
      type: ["string"],
      description: "A sentence for people.",
      examples: ["No plant has this id."],
    },
    details: { type: ["object"], additionalProperties: true },
  },
};

export const orderSchemas: Readonly<Record<string, Schema>> = {
  Address: address,
  Category: category,
  OrderItem: orderItem,
  Payment: payment,
  CardPayment: {
    title: "Card",
    type: ["object"],
    required: ["kind", "token"],
    properties: {
      kind: { const: "card" },
      token: { type: ["string"], writeOnly: true, description: "From the payment form." },
      last4: { type: ["string"], readOnly: true, examples: ["4242"] },
    },
  },
  InvoicePayment: {
    title: "Invoice",
    type: ["object"],
    required: ["kind"],
    properties: {
      kind: { const: "invoice" },
      days: { type: ["integer"], enum: [14, 30, 60], default: 30 },
    },
  },
  OrderInput: {
    type: ["object"],
    required: ["items", "address"],
    properties: {
      items: {
        type: ["array"],
        items: { $ref: "OrderItem" },
        minItems: 1,
        maxItems: 100,
        description: "What is ordered, **at most one** entry a plant.",
      },
      address: { $ref: "Address" },
      payment: { $ref: "Payment" },
      deliver_on: { type: ["string"], format: "date", description: "A working day." },
      labels: {
        type: ["object"],
        additionalProperties: { type: ["string"], maxLength: 40 },
        description: "Words of your own.",
      },
      coupon: { type: ["string"], deprecated: true, description: "Use `labels` instead." },
    },
  },
  Order: {
    allOf: [
      { $ref: "OrderInput" },
      {
        type: ["object"],
        required: ["id", "status"],
        properties: {
          id: { type: ["string"], format: "uuid", readOnly: true },
          status: { type: ["string"], enum: ["open", "packed", "sent"], readOnly: true },
          created_at: { type: ["string"], format: "date-time", readOnly: true },
        },
      },
    ],
  },
  Failure: failure,
};

const json = (schema: Schema, examples: readonly unknown[] = []) => ({
  mediaType: "application/json",
  schema,
  examples: examples.map((value, index) => ({ name: `example ${index + 1}`, value })),
});

/** An endpoint with something of everything that a page can show. */
export const createOrder: Endpoint = endpointOf({
  method: "post",
  path: "/nurseries/{nurseryId}/orders",
  title: "Create an order",
  description:
    "Orders plants for delivery. Stock is reserved for **30 minutes**.\n\n## Before you begin\n\nPlants must be in the [catalog](/catalog).\n\n- Orders of one day travel together.\n- An order can be changed until it is packed.",
  servers: [
    {
      url: "https://{region}.nursery.example/v1",
      description: "Production",
      variables: {
        region: { default: "eu", values: ["eu", "us"], description: "Where data is kept." },
      },
    },
    { url: "https://sandbox.nursery.example/v1", description: "Sandbox", variables: {} },
  ],
  security: [
    [{ name: "token", type: "bearer", format: "JWT", scopes: ["orders:write"] }],
    [
      {
        name: "key",
        type: "key",
        location: "header",
        keyName: "X-Api-Key",
        description: "A key of the [dashboard](https://nursery.example/keys).",
        scopes: [],
      },
    ],
  ],
  parameters: [
    {
      name: "nurseryId",
      location: "path",
      isRequired: true,
      isDeprecated: false,
      description: "The nursery that packs.",
      schema: { type: ["string"] },
      examples: [{ name: "one", value: "north-1" }],
    },
    {
      name: "dry_run",
      location: "query",
      isRequired: false,
      isDeprecated: false,
      description: "Says what the order would cost and reserves nothing.",
      schema: { type: ["boolean"], default: false },
      examples: [],
    },
    {
      name: "expand",
      location: "query",
      isRequired: false,
      isDeprecated: false,
      schema: { type: ["array"], items: { type: ["string"], enum: ["items", "address"] } },
      examples: [{ name: "both", value: ["items", "address"] }],
      style: "form",
      explode: false,
    },
    {
      name: "Idempotency-Key",
      location: "header",
      isRequired: true,
      isDeprecated: false,
      description: "Repeating a request with the same key orders once.",
      schema: { type: ["string"], format: "uuid" },
      examples: [],
    },
  ],
  body: {
    isRequired: true,
    contents: [json({ $ref: "OrderInput" })],
  },
  responses: [
    {
      status: "201",
      description: "The order.",
      headers: [
        {
          name: "Location",
          isRequired: false,
          isDeprecated: false,
          description: "Where the order is.",
          schema: { type: ["string"], format: "uri" },
          examples: [],
        },
      ],
      contents: [json({ $ref: "Order" })],
    },
    {
      status: "404",
      description: "No nursery has this id.",
      headers: [],
      contents: [
        json({ $ref: "Failure" }, [{ code: "not_found", message: "No nursery has this id." }]),
      ],
    },
    { status: "429", description: "Too many requests.", headers: [], contents: [] },
  ],
  callbacks: [
    endpointOf({
      method: "post",
      path: "{$request.body#/callbackUrl}",
      title: "orderSent",
      body: { isRequired: true, contents: [json({ $ref: "Order" })] },
      responses: [{ status: "204", description: "Heard.", headers: [], contents: [] }],
    }),
  ],
  schemas: orderSchemas,
});
