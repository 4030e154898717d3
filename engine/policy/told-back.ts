import type { Json } from '#contract';
import type { Persona, SecurityConfig } from '../config/types.ts';
import { addressKey, isSendable } from '../mail/mime/address.ts';
import { askerOfAnswer } from '../mail/told-of-answer.ts';
import { answeredRequestOf } from '../record/trigger.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { StoredMessage } from '../storage/types/mail.ts';
import { isOfMail, type StoredRun } from '../storage/types/runs.ts';

/** The one tool by which the run of a correspondent reaches anybody but them. */
export const TELLS_BACK = 'send_email';

/** Enough to write to the one who asked and to the owners apart; a mail that is made for more is made to flood them. */
export const MOST_TOLD_BACK = 2;

/** The people to whom a correspondent's run may write because the mail answers one of ours. */
export interface ToldBack {
  readonly owners: readonly string[];
  /** The one who asked for our mail, and the mail in which they did; null: a task sent it, or they may not write here. */
  readonly asker: { readonly address: string; readonly request: StoredMessage } | null;
}

type Answering = Pick<LoadedRun, 'run' | 'message' | 'trigger'>;

/** By rows alone. Null: the run is another sender's, or its mail answers nothing that was sent for anybody. */
export function toldBackOf(
  loaded: Answering,
  persona: Pick<Persona, 'owners' | 'access'>,
  access: SecurityConfig['gateway_access'],
): ToldBack | null {
  const { run, message, trigger } = loaded;
  if (run.tier !== 'known' || trigger.kind !== 'mail') return null;
  const owners = persona.owners.filter(isSendable);
  const asked = answeredRequestOf(loaded);
  if (asked === null) return trigger.answersTask === null ? null : { owners, asker: null };
  const address = askerOfAnswer({ asker: asked.run, sent: asked.sent, answer: message }, persona, access);
  return { owners, asker: address === null ? null : { address, request: asked.request } };
}

/** Who is sent the answer of a run whatever it calls, as the answer itself is addressed; null: nobody, or it is no mail's run. */
export async function answeredBy(
  store: { messageById(id: string): Promise<StoredMessage | undefined> },
  { kind, message: id, tier }: Pick<StoredRun, 'kind' | 'message' | 'tier'>,
): Promise<string | null> {
  if (!isOfMail({ kind })) return null;
  const message = await store.messageById(id);
  return addressKey((tier === 'unauthenticated' ? null : message?.reply_to) ?? message?.from_address ?? '');
}

/**
 * The call with addresses in place of `owners`, which any run may name, and of `asker`. A model that writes to a
 * correspondent is told nobody's address, so it names those whom it may tell by what they are. A word that stands for nobody
 * is left, and refused as no address.
 */
export function addressed(
  told: ToldBack | null,
  persona: Pick<Persona, 'owners'>,
  { tool, args }: { readonly tool: string; readonly args: Json },
): Json {
  if (tool !== TELLS_BACK) return args;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args;
  const whom = told ?? { owners: persona.owners.filter(isSendable), asker: null };
  const lists = ['to', 'cc'].flatMap((name): [string, Json][] => {
    const given = (args as { readonly [key: string]: Json })[name];
    return Array.isArray(given) ? [[name, [...new Set(given.flatMap((one) => addressesOf(whom, one)))]]] : [];
  });
  return { ...args, ...Object.fromEntries(lists) };
}

function addressesOf({ asker, owners }: ToldBack, given: Json): readonly Json[] {
  if (given === 'asker' && asker !== null) return [asker.address];
  return (given === 'owners' || given === 'owner') && owners.length > 0 ? owners : [given];
}
