import type { Problem } from '../../config/types.ts';
import { hideDisguised } from '../../lib/secrets/secrets.ts';
import { extensionKindInWords, mailboxInWords } from '../state-words.ts';
import type { MissingKeys } from './missing-keys.ts';
import type { SendingState } from './sending.ts';
import type { BackupPlan } from './upkeep/backups.ts';

/** Tries after which a server has not merely asked to come again later, as many do with a first mail. */
const TRIES = 2;

interface Judged {
  readonly running: boolean;
  readonly mailboxes: readonly {
    readonly id: string;
    readonly state: string;
    readonly error?: string | null;
    readonly looked_at?: string | null;
    readonly smtp: SendingState;
  }[];
  readonly personas: readonly { readonly id: string; readonly state: string }[];
  readonly missing_keys: readonly MissingKeys[];
  readonly config_errors: readonly (Pick<Problem, 'file' | 'key' | 'message'> | object)[];
  readonly deferred?: readonly {
    readonly persona: string;
    readonly code: string;
    readonly message?: string;
    readonly since?: string | null;
  }[];
  readonly outbox?: { readonly failed: number };
  readonly backup?: Pick<BackupPlan, 'last' | 'by_hand_at'>;
  readonly extensions: readonly { readonly name: string; readonly kind: string; readonly state: string }[];
  readonly tools_waiting: readonly { readonly server: string }[];
}

/** By it the mail is found that could not be sent. */
export const UNSENT_CURE = 'outbox list --status failed';

const SHOWN = 5;
const firstOf = (names: readonly string[]): string =>
  `${names.slice(0, SHOWN).join(', ')}${names.length > SHOWN ? ' and more' : ''}`;

/** What a server said, or when something was so. */
export type Detail = string | { readonly words: string; readonly at: string };

/** A fault that somebody has to mend: what is wrong, and the command that mends it or says more; null: an edit of a file does. */
export interface Repair {
  readonly cause: string;
  readonly cure: string | null;
  /** What is known of it beside that; absent: nothing. */
  readonly details?: readonly Detail[];
  /** A test of this mailbox tells whether it is mended; absent: it is about none. */
  readonly mailbox?: string;
}

/** What kept the last backup by schedule from being made, unless somebody has had one made since. */
function failedBackup({ backup }: Judged): string | null {
  const { last = null, by_hand_at: byHandAt = null } = backup ?? {};
  const isMadeGood = last !== null && byHandAt !== null && Date.parse(byHandAt) > Date.parse(last.at);
  return isMadeGood ? null : (last?.error ?? null);
}

/** Why mail would not come, not leave, or not be answered with all that is listed now, each with its cure; empty: all is well. Pure. */
export function repairsOf(status: Judged): readonly Repair[] {
  const { running, mailboxes, personas, missing_keys: keys, config_errors: problems } = status;
  const off = status.extensions
    .filter(({ state }) => state === 'error')
    .map(({ kind, name }) => `${extensionKindInWords(kind)} ${name}`);
  const waiting = status.tools_waiting.map(({ server }) => server);
  const broken = personas.filter(({ state }) => state === 'error').map(({ id }) => id);
  const backup = failedBackup(status);
  const failed = status.outbox?.failed ?? 0;
  return [
    ...fault(!running, 'no gateway runs', 'start'),
    ...mailboxes.flatMap((mailbox) => mailboxRepairs(mailbox, running)),
    ...fault(failed > 0, failedMail(failed), UNSENT_CURE),
    ...fault(broken.length > 0, `not ready: ${firstOf(broken)}`, 'persona validate'),
    ...fault(off.length > 0, `cannot be used: ${firstOf(off)}`, 'extensions list'),
    ...fault(
      waiting.length > 0,
      `tools wait for an owner: ${extensionKindInWords('mcp')} ${firstOf(waiting)}`,
      'extensions list',
    ),
    ...fault(
      Boolean(backup),
      `the last backup failed: ${backup}`,
      'backup',
      whenOf('it was due', status.backup?.last?.at),
    ),
    ...keys.map(({ provider, keys: names }) => ({
      cause: `provider ${provider} has no key: ${names.join(', ')}`,
      cure: 'providers list',
    })),
    ...(status.deferred ?? []).flatMap(({ persona, code, message, since }) =>
      fault(
        code === 'provider_setup',
        `mail of ${persona} waits for its owner: ${message ?? 'see its model'}`,
        'providers list',
        whenOf('since', since),
      ),
    ),
    ...fault(
      problems.length > 0,
      `${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in the configuration`,
      'doctor',
      problems.slice(0, SHOWN).map((one) => ('message' in one ? inOneLine(one) : '')),
    ),
  ];
}

export const whyUnhealthy = (status: Judged): readonly string[] => repairsOf(status).map(({ cause }) => cause);

const fault = (isSo: boolean, cause: string, cure: string | null, given: readonly Detail[] = []): readonly Repair[] => {
  const details = given.filter((one) => one !== '');
  return isSo ? [{ cause, cure, ...(details.length === 0 ? {} : { details }) }] : [];
};

/** Since when, or when; nothing where nobody knows. */
const whenOf = (words: string, at: string | null | undefined): readonly Detail[] =>
  typeof at === 'string' ? [{ words, at }] : [];

const inOneLine = ({ file, key, message }: Pick<Problem, 'file' | 'key' | 'message'>): string =>
  `${file}${key ? `: ${key}` : ''}: ${message}; what it said before is in force`;

function mailboxRepairs(
  { id, state, error, looked_at: heard, smtp }: Judged['mailboxes'][number],
  running: boolean,
): readonly Repair[] {
  const cureOf = (found: string | null) => (found === 'needs_login' ? `mailbox login ${id}` : `mailbox test ${id}`);
  const isDeaf = running && ['auth_failed', 'needs_login', 'retrying'].includes(state);
  const isMute = smtp.attempts >= TRIES || smtp.state === 'needs_login';
  const found = [
    ...fault(isDeaf, `mailbox ${id} is not read: ${mailboxInWords(state)}`, cureOf(state), [
      hideDisguised(error ?? ''),
      ...whenOf('last heard', heard),
    ]),
    ...fault(isMute, `mailbox ${id} does not send: ${smtp.error ?? 'no answer'}`, cureOf(smtp.state)),
  ];
  return found.map((one) => ({ ...one, mailbox: id }));
}

/** Nobody tries it again by itself, so it stays until somebody has decided. */
const failedMail = (count: number): string =>
  `${count} ${count === 1 ? 'mail' : 'mails'} could not be sent (\`epistle outbox list --status failed\` says why; \`epistle outbox retry --failed\` sends ${count === 1 ? 'it' : 'them'} again, \`epistle outbox drop --failed\` gives ${count === 1 ? 'it' : 'them'} up)`;
