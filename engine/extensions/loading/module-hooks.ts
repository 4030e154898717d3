import { type ModuleHooks, registerHooks } from 'node:module';

/** The folder that holds `engine/` and `extensions/`: the repository, or `dist/` of the installed package. */
const PACKAGE = new URL('../../../', import.meta.url).href;

/** The contract by the names that workspaces know it by, and as the package itself does. */
const ENTRIES = new Map([
  ['epistle/contract', '#contract'],
  ['epistle/contract/http', '#contract/http'],
]);

const registered: { hooks: ModuleHooks | null } = { hooks: null };

/**
 * Lets an extension in any folder import `epistle/contract` and `zod` without installing anything. The contract is
 * the one that the engine runs on: a second copy would have another EngineError, and `instanceof` would fail.
 */
export function shareContract(): void {
  registered.hooks ??= registerHooks({
    resolve(specifier, context, nextResolve) {
      const target = sharedTarget(specifier, context.parentURL);
      if (target === null) return nextResolve(specifier, context);
      return nextResolve(target, { ...context, parentURL: import.meta.url });
    },
  });
}

/** What a specifier means for the module that asks; null: what it always means. */
export function sharedTarget(specifier: string, parent: string | undefined): string | null {
  const entry = ENTRIES.get(specifier);
  if (entry !== undefined) return entry;
  if (specifier !== 'zod' && !specifier.startsWith('zod/')) return null;
  // A package under some node_modules has the version of zod that it asked for.
  const foreign = parent?.startsWith('file:') && !parent.startsWith(PACKAGE) && !parent.includes('/node_modules/');
  return foreign ? specifier : null;
}
