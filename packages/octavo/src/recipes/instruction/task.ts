/** A part of a site. Undefined means the whole site. */
export interface Scope {
  readonly parts: readonly ScopePart[];
}

/** A division of the navigation, or a `path`: a folder, a page, or both if they have the same name, or a language. */
export interface ScopePart {
  readonly kind: "path" | "group" | "tab";
  readonly name: string;
}

interface Scoped {
  readonly scope?: Scope;
}

/** A completely parsed task. The names of pages and groups are unchanged from the instruction. */
export type Task =
  | ({ readonly kind: "fix_links"; readonly what: "links" | "anchors" } & Scoped)
  | ({
      readonly kind: "rename_term";
      readonly from: string;
      readonly to: string;
      readonly inCode: boolean;
      readonly withPlural: boolean;
      /**
       * Whether the name may also be that of a group, a tab or a page, because the instruction contained only two
       * names.
       */
      readonly isNamed?: true;
    } & Scoped)
  | ({
      readonly kind: "raise_version";
      readonly from: string;
      readonly to: string;
      readonly product?: string;
    } & Scoped)
  /** `to` ends with a slash if it is a folder. */
  | { readonly kind: "move_page"; readonly page: string; readonly to: string }
  | {
      readonly kind: "add_page";
      readonly title: string;
      readonly path?: string;
      readonly group?: string;
      readonly description?: string;
      readonly text?: string;
    }
  | ({ readonly kind: "fill_descriptions" } & Scoped)
  | ({ readonly kind: "fix_spelling" } & Scoped)
  | { readonly kind: "delete_page"; readonly page: string; readonly redirectTo?: string }
  | {
      readonly kind: "set_field";
      readonly page: string;
      readonly field: string;
      readonly value: string;
      /** The value that the field must have before, or empty if the field must not be set yet. */
      readonly was?: string;
    }
  | { readonly kind: "add_redirect"; readonly from: string; readonly to: string }
  | {
      readonly kind: "rename_division";
      readonly division: "group" | "tab";
      readonly name: string;
      readonly to: string;
    };

export type TaskOf<Kind extends Task["kind"]> = Extract<Task, { readonly kind: Kind }>;
