/** `components.js`: brings components to life whose first render is in the page. */
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

// By then the scripts that define them have run: they are deferred, as this one is.
document.addEventListener("DOMContentLoaded", () => {
  for (const place of findComponentElements(document)) mountComponent(place, modules);
});
