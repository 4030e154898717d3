import type { MissingKeys } from './missing-keys.ts';
import type { SendingState } from './sending.ts';
import type { BackupPlan } from './upkeep/backups.ts';

/** Tries after which a server has not merely asked to come again later, as many do with a first mail. */
const TRIES = 2;

interface Judged {
  readonly running: boolean;
  readonly mailboxes: readonly { readonly id: string; readonly state: string; readonly smtp: SendingState }[];
  readonly personas: readonly { readonly id: string; readonly state: string }[];
  readonly missing_keys: readonly MissingKeys[];
  readonly config_errors: readonly object[];
  readonly deferred?: readonly { readonly persona: string; readonly code: string; readonly message?: string }[];
  readonly outbox?: { readonly failed: number };
  readonly backup?: Pick<BackupPlan, 'last'>;
  readonly extensions: readonly { readonly name: string; readonly kind: string; readonly state: string }[];
  readonly tools_waiting: readonly { readonly server: string }[];
}

const SHOWN = 5;
const firstOf = (names: readonly string[]): string =>
  `${names.slice(0, SHOWN).join(', ')}${names.length > SHOWN ? ' and more' : ''}`;

/** Why mail would not come, not leave, or not be answered with all that is listed now, in words; empty: all is well. Pure. */
export function whyUnhealthy(status: Judged): readonly string[] {
  const { running, mailboxes, personas, missing_keys: keys, config_errors: problems } = status;
  const off = status.extensions.filter(({ state }) => state === 'error').map(({ kind, name }) => `${kind} ${name}`);
  const waiting = status.tools_waiting.map(({ server }) => server);
  const broken = personas.filter(({ state }) => state === 'error').map(({ id }) => id);
  return [
    ...(running ? [] : ['no gateway runs']),
    ...mailboxes.flatMap(({ id, state, smtp }) => [
      ...(running && ['auth_failed', 'needs_login', 'retrying'].includes(state)
        ? [`mailbox ${id} is not read: ${state}`]
        : []),
      ...(smtp.attempts >= TRIES || smtp.state === 'needs_login'
        ? [`mailbox ${id} does not send: ${smtp.error ?? 'no answer'}`]
        : []),
    ]),
    ...failedMail(status.outbox?.failed ?? 0),
    ...(broken.length > 0 ? [`not ready: ${firstOf(broken)}`] : []),
    ...(off.length > 0 ? [`cannot be used: ${firstOf(off)}`] : []),
    ...(waiting.length > 0 ? [`tools wait for an owner: mcp ${firstOf(waiting)}`] : []),
    ...(status.backup?.last?.error ? [`the last backup failed: ${status.backup.last.error}`] : []),
    ...keys.map(({ provider, keys: names }) => `provider ${provider} has no key: ${names.join(', ')}`),
    ...(status.deferred ?? []).flatMap(({ persona, code, message }) =>
      code === 'provider_setup' ? [`mail of ${persona} waits for its owner: ${message ?? 'see its model'}`] : [],
    ),
    ...(problems.length > 0
      ? [`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in the configuration`]
      : []),
  ];
}

/** Nobody tries it again by itself, so it stays until somebody has decided. */
const failedMail = (count: number): readonly string[] =>
  count === 0
    ? []
    : [
        `${count} ${count === 1 ? 'mail' : 'mails'} could not be sent (\`epistle outbox list --status failed\` says why; \`epistle outbox retry --failed\` sends ${count === 1 ? 'it' : 'them'} again, \`epistle outbox drop --failed\` gives ${count === 1 ? 'it' : 'them'} up)`,
      ];
