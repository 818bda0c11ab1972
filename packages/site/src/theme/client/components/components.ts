/** `components.js`: hydrates the components whose first render is in the page. */
import { mountComponent } from "./mount.ts";
import { findComponentElements } from "./slots.ts";
import { createModules, type ModuleFunction } from "./modules.ts";

declare global {
  interface Window {
    octavoComponents: (
      path: string,
      imports: Readonly<Record<string, string>>,
      run: ModuleFunction,
    ) => void;
  }
}

const modules = createModules();
window.octavoComponents = (path, imports, run) => modules.define(path, { imports, run });

// By then, the scripts that define the components have run: they are deferred, like this one.
document.addEventListener("DOMContentLoaded", () => {
  for (const place of findComponentElements(document)) mountComponent(place, modules);
});
