import { posix } from 'node:path';
import type { Configs } from '../../config/types.ts';
import { changedList } from '../../lib/text/changed-list.ts';
import type { Intent } from '../../record/codec/intent.ts';
import { triggerFacts } from '../../record/trigger.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';

export interface ResolverCall {
  readonly name: string;
  readonly argument: string | null;
}

/** Which parts of the prompt a child run has: who it is and what stands, and the packet; no memory of any thread. */
export const isHandedOn = ({ name, argument }: ResolverCall): boolean =>
  ['standing-rules', 'invocation-metadata', 'current-input'].includes(name) ||
  (name === 'load-file' && argument !== null && !/^data(?:\/|$)/i.test(posix.normalize(argument.trim())));

/** Reads `name` or `name(argument)`; placeholders such as `{persona_id}` in the argument are filled in. */
export function parseResolverCall(text: string, placeholders: Readonly<Record<string, string>>): ResolverCall {
  const open = text.indexOf('(');
  if (open < 0) return { name: text, argument: null };
  const argument = text
    .slice(open + 1, -1)
    .replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) => placeholders[name] ?? whole);
  return { name: text.slice(0, open), argument };
}

/** Stays last, whatever is added for a kind. */
const FROM_THE_MAIL = ['invocation-metadata', 'current-input'];

/** The resolvers of the prompt: those for the kind of mail where there are any. */
export async function callsFor(
  { configs, loaded }: { readonly configs: Pick<Configs, 'context'>; readonly loaded: LoadedRun },
  intent: Promise<Intent | null>,
): Promise<readonly string[]> {
  const { profiles } = configs.context;
  const { profile } = triggerFacts(loaded);
  // Only then the prompt waits for what the mail is.
  const kind = profile === 'thread' && Object.keys(profiles.by_kind).length > 0 ? (await intent)?.kind : undefined;
  const own = kind && profiles.by_kind[kind];
  if (!own) return profiles[profile];
  return 'add' in own ? changedList(profiles.thread, own, FROM_THE_MAIL) : own;
}
