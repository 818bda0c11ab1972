/** A text that must be nowhere, and the place where it was found. */
export interface FoundSecret {
  readonly secret: string;
  readonly form: string;
  readonly place: string;
}

export interface SecretSearch {
  /** Every secret that stands in `content`, in whatever form. */
  find(place: string, content: string | Uint8Array): FoundSecret[];
}

interface Needle {
  readonly secret: string;
  readonly form: string;
  readonly bytes: Buffer;
}

/** Looks for secrets, given by their names, as they are and as programs write what they were handed. */
export function createSecretSearch(secrets: Readonly<Record<string, string>>): SecretSearch {
  const needles = Object.entries(secrets).flatMap(([secret, value]) =>
    [...formsOf(value)].map(([text, form]): Needle => ({ secret, form, bytes: Buffer.from(text) })),
  );
  return {
    find(place, content) {
      const haystack = Buffer.from(content);
      return needles
        .filter(({ bytes }) => haystack.includes(bytes))
        .map(({ secret, form }) => ({ secret, form, place }));
    },
  };
}

function formsOf(value: string): Map<string, string> {
  const forms = new Map<string, string>();
  const add = (form: string, text: string): void => {
    if (!forms.has(text)) forms.set(text, form);
  };
  add("as it is", value);
  add("in JSON", JSON.stringify(value).slice(1, -1));
  add("in an address", encodeURIComponent(value));
  add("in a form", new URLSearchParams({ value }).toString().slice("value=".length));
  add("in HTML", value.replaceAll("&", "&amp;").replaceAll('"', "&quot;"));
  const hex = Buffer.from(value).toString("hex");
  add("in hex", hex);
  add("in hex", hex.toUpperCase());
  for (const name of ["", "x", "xy"]) {
    // Where it stands among the bytes that were encoded decides which of three forms it has.
    const encoded = btoa(name + value);
    const inner = encoded.slice(name.length === 0 ? 0 : 4, -4);
    add("in base64", inner);
    add("in base64url", inner.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return forms;
}
