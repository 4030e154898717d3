import type { Persona, SecurityConfig } from '../config/types.ts';
import { standingOf } from './access.ts';
import { addressKey } from './mime/address.ts';

/** A mail of ours that somebody asked for, and what came in answer to it. */
export interface AnsweredMail {
  readonly asker: { readonly sender: string | null; readonly tier: string };
  readonly sent: { readonly to: readonly string[]; readonly cc: readonly string[] };
  readonly answer: {
    readonly from_address: string | null;
    readonly tier: string | null;
    readonly to: readonly string[];
    readonly cc: readonly string[];
  };
}

/** To and Cc. */
export const recipientsIn = ({ to, cc }: AnsweredMail['sent']): readonly string[] => [...to, ...cc];

type Access = SecurityConfig['gateway_access'];
type Rules = Pick<Persona, 'owners' | 'access'>;

/**
 * Whether the one who asked for a mail is told of an answer to it by the gateway: whoever has it already is not told
 * again.
 */
export function isToldOfAnswer(answered: AnsweredMail, persona: Rules, gateway: Access): boolean {
  const who = askerOfAnswer(answered, persona, gateway);
  return who !== null && !isAmong(recipientsIn(answered.answer), who);
}

/**
 * The key of the address that asked for the mail, as long as it may write here, where this is an answer to it. Only
 * what those write to whom the mail went is one, so what an owner says in the thread beside it reaches nobody by this.
 */
export function askerOfAnswer({ asker, sent, answer }: AnsweredMail, persona: Rules, gateway: Access): string | null {
  if (asker.tier !== 'owner' && asker.tier !== 'member') return null;
  if (answer.tier === null || answer.tier === 'unauthenticated') return null;
  const [who, from] = [addressKey(asker.sender ?? ''), addressKey(answer.from_address ?? '')];
  if (who === null || from === null || who === from) return null;
  const standing = standingOf(who, persona, gateway);
  if (standing !== 'owner' && standing !== 'member') return null;
  return isAmong(recipientsIn(sent), from) ? who : null;
}

/** What a rule of an owner says of copies. */
interface CopyingRule {
  readonly effect: string;
  readonly scope: string;
  /** The key of an address where the rule is for one person. */
  readonly scope_of: string | null;
  readonly whom: readonly string[];
}

/** Whether a mail to these keys of addresses gets those in Cc whom the rule names. */
export const putsInCc = ({ effect, scope, scope_of: of }: CopyingRule, there: ReadonlySet<string | null>): boolean =>
  effect === 'cc' && (scope !== 'person' || there.has(addressKey(of ?? '')));

/** Whether the mail was to others, and whoever answers it stood in Cc. */
export const hadCopy = ({ sent, answer }: Pick<AnsweredMail, 'sent' | 'answer'>): boolean => {
  const from = addressKey(answer.from_address ?? '');
  return from !== null && isAmong(sent.cc, from) && !isAmong(sent.to, from);
};

/** The same of somebody who gets a copy of all such mail: nobody has asked them anything, so what they write is for us. */
export function isOnlyCopied(answered: Pick<AnsweredMail, 'sent' | 'answer'>, rules: readonly CopyingRule[]): boolean {
  const from = addressKey(answered.answer.from_address ?? '');
  if (from === null || !hadCopy(answered)) return false;
  const there = new Set(recipientsIn(answered.sent).map(addressKey));
  return rules.some((rule) => putsInCc(rule, there) && isAmong(rule.whom, from));
}

/** Most servers still take a mail of this size after base64. */
const MOST_PASSED_ON = 10 * 1024 * 1024;

/** What becomes of the files of an answer that somebody is told of. */
export interface PassedOn<File> {
  /** Those that go along. */
  readonly along: readonly File[];
  /** Those for which there is no room in one mail. */
  readonly large: readonly File[];
  /** Those that were not kept when they came: encrypted, or larger than may come in. */
  readonly unkept: readonly File[];
}

/** In their order, each as far as there is room for it. */
export function passedOn<File extends { readonly bytes: number; readonly unreadable: string | null }>(
  files: readonly File[],
): PassedOn<File> {
  const kept = files.filter(({ unreadable }) => unreadable === null);
  const along: File[] = [];
  let room = MOST_PASSED_ON;
  for (const file of kept) {
    if (file.bytes > room) continue;
    room -= file.bytes;
    along.push(file);
  }
  return {
    along,
    large: kept.filter((file) => !along.includes(file)),
    unkept: files.filter(({ unreadable }) => unreadable !== null),
  };
}

const isAmong = (addresses: readonly string[], key: string): boolean =>
  addresses.some((one) => addressKey(one) === key);
