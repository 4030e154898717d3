/** The rooms of the engine and what each may import besides itself, node: modules and its packages. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  lib: ['contract'],
  config: ['contract', 'lib'],
  storage: ['contract', 'lib'],
  extensions: ['contract', 'lib', 'config'],
  mail: ['contract', 'lib'],
  wording: ['contract', 'lib'],
  harness: ['contract', 'lib', 'storage', 'extensions', 'mail', 'wording'],
  dispatch: ['contract', 'lib', 'storage', 'mail', 'wording', 'harness'],
  gateway: ['contract', 'lib', 'storage', 'mail', 'wording', 'dispatch'],
  delivery: ['contract', 'lib', 'storage', 'mail', 'wording'],
};

/** Where everything is put together: these may import every room. */
export const COMPOSITION: readonly string[] = ['cli', 'console', 'app.ts', 'workspace.ts'];

export interface Import {
  /** The importing file, from the root of the repository. */
  readonly from: string;
  readonly specifier: string;
  /** The imported file from the root, for a relative import or the contract's name; else undefined. */
  readonly to: string | undefined;
  readonly isType: boolean;
}

const roomOf = (path: string): string => path.split('/')[1] ?? '';
/** `extensions/tools/shell` of `extensions/tools/shell/run/index.ts`. */
const extensionOf = (path: string): string => path.split('/').slice(0, 3).join('/');

function contractViolation({ specifier, to }: Import): string | undefined {
  if (specifier === 'zod' || to?.startsWith('engine/contract/')) return undefined;
  return 'the contract imports zod and its own files';
}

function extensionViolation({ from, to }: Import): string | undefined {
  if (to === undefined || to === CONTRACT || extensionOf(to) === extensionOf(from)) return undefined;
  return 'an extension imports #contract, its own files and its packages';
}

/** The one name by which everybody else knows the contract. */
export const CONTRACT = 'engine/contract/index.ts';

function engineViolation({ from, to, specifier, isType }: Import): string | undefined {
  if (to === undefined) return undefined;
  if (!to.startsWith('engine/')) return 'the engine imports nothing outside itself';
  const [room, target] = [roomOf(from), roomOf(to)];
  if (target === 'contract') return specifier === '#contract' ? undefined : 'the contract is imported as #contract';
  if (target === room || COMPOSITION.includes(room)) return undefined;
  if (isType && to === 'engine/config/types.ts') return undefined;
  if (room === 'gateway' && target === 'dispatch' && to !== 'engine/dispatch/accept.ts') {
    return 'the gateway knows one door of dispatch: accept.ts';
  }
  return ROOMS[room]?.includes(target) ? undefined : `${room} may not import ${target}`;
}

/** Why an import breaks the table; undefined when it does not. */
export function violation(found: Import): string | undefined {
  if (found.from.startsWith('extensions/')) return extensionViolation(found);
  if (found.from.startsWith('engine/contract/')) return contractViolation(found);
  return engineViolation(found);
}
