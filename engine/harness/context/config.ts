import { posix } from 'node:path';
import type { Configs, TaskAnswer } from '../../config/types.ts';
import { changedList } from '../../lib/text/changed-list.ts';
import type { Intent } from '../../record/codec/intent.ts';
import type { RunFrame } from '../../record/settings.ts';
import { triggerFacts } from '../../record/trigger.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import { contractFrom } from '../evidence/contract.ts';

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

/** How a mail is worked. */
export interface MailProfile {
  /** The resolvers of its prompt. */
  readonly calls: readonly string[];
  /** The kind of mail that it is for, where that has nothing but reading; null: all tools are there. */
  readonly reads: string | null;
  /** What its kind asks of an answer, key by key in place of what the persona does. */
  readonly answer: TaskAnswer;
}

/** By the kind of mail where there is something for it. */
export async function profileFor(
  { configs, loaded }: { readonly configs: Pick<Configs, 'context'>; readonly loaded: LoadedRun },
  intent: Promise<Intent | null>,
): Promise<MailProfile> {
  const { profiles } = configs.context;
  const { profile } = triggerFacts(loaded);
  const whole = { calls: profiles[profile], reads: null, answer: null };
  // Only then the prompt waits for what the mail is.
  const told = profile === 'thread' && Object.keys(profiles.by_kind).length > 0 ? await intent : null;
  const own = told && profiles.by_kind[told.kind];
  if (!told || !own) return whole;
  if (!('add' in own)) return { ...whole, calls: own };
  // A question may ask for something to be done, and is a request then.
  const reads = own.tools === 'read' && told.wanted_effects.length === 0 ? told.kind : null;
  return { calls: changedList(profiles.thread, own, FROM_THE_MAIL), reads, answer: own.answer };
}

/** What is known of a mail, with what its profile says of its work. An answer of its kind that needs no words is its receipt. */
export function framedBy(frame: RunFrame, { reads, answer }: MailProfile): RunFrame {
  const contract = contractFrom(frame.contract, answer);
  return {
    ...frame,
    ...(reads === null ? {} : { can_change: [], highest_risk: 'read' as const }),
    contract,
    ...(answer?.claims === 'off' && contract.effects.length > 0 ? { ends_met: true as const } : {}),
  };
}
