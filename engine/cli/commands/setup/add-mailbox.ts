import { EngineError } from '#contract';
import { settingsOfEdit } from '../../../actions/set-up/edit-persona.ts';
import type { MailboxConfig } from '../../../config/types.ts';
import { planChange, type Wanted } from '../../../config/writing/change.ts';
import { keyOf, senderSettings } from '../../../config/writing/settings.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import type { Workspace } from '../../../workspace.ts';
import { addressIn } from '../../command/addresses.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import type { LearnedServer } from '../../trial/learn.ts';
import { freeId, MAIN, type MailboxConnection, secretNameOf } from './answers.ts';
import { createPrompts, orBrokenOff } from './ask.ts';
import { CONNECTION_OPTIONS, flagOf } from './connection-options.ts';
import { askLogin } from './login.ts';
import { settingsOfMailbox } from './plan.ts';
import { holderOf, type Present, presentIn } from './present.ts';
import { roundTrip } from './round-trip.ts';
import { askServers, missing, type SetupUnderWay } from './steps.ts';

const OPTIONS = {
  id: { flags: '--id <id>', about: `in configs/gateway.json (default: ${MAIN}, or by the domain)` },
  persona: {
    flags: '--persona <id>',
    about: 'gets its mail there and writes by it; its address of before stays an alias',
  },
  ...CONNECTION_OPTIONS,
  nonInteractive: {
    flags: '--non-interactive',
    about: 'ask nothing; the secret comes from <ID>_MAILBOX_PASSWORD or the first line of stdin',
  },
} as const;

/** It keeps no answers: what was asked is asked again. */
const BROKEN_OFF = 'broken off; no mailbox was added';

export const addMailbox = defineCommand({
  name: 'mailbox add',
  summary: 'Add a mailbox by its address: its servers are found, logged in to and tried, then it is written',
  arguments: ['[address]'],
  options: OPTIONS,
  examples: [
    ['mailbox add support@example.com --persona ada', 'asks for its password; Ada gets her mail there'],
    ['mailbox add support@example.com --non-interactive --json', 'asks nothing, for scripts'],
  ],
  run(context, { args: [address], options }) {
    const isAsking = !context.json && options.nonInteractive !== true && context.stdin.isTTY === true;
    const added = add(context, address, { flag: flagOf(options), isAsking });
    return isAsking ? orBrokenOff(added, BROKEN_OFF) : added;
  },
  text: ({ id, mailbox, persona, written }, { command }) =>
    [
      ...written.map((one) => `  ${one}`),
      `The mailbox ${id} is added. A running gateway takes it up within two seconds.`,
      persona === null
        ? `Mail to ${mailbox} is for nobody until a persona has this address: ${command(`persona edit ID --address ${mailbox}`)}`
        : `${persona} gets mail to ${mailbox}.`,
    ].join('\n'),
});

async function add(
  context: CommandContext,
  given: string | undefined,
  { flag, isAsking }: { flag(name: string): string | undefined; isAsking: boolean },
) {
  const workspace = context.open();
  const { root } = workspace;
  const prompts = isAsking ? createPrompts({ input: context.stdin, output: process.stdout }, BROKEN_OFF) : null;
  const present = presentIn(root);
  const asking: SetupUnderWay = {
    context,
    root,
    present,
    prompts,
    flag,
    saved: () => ({}),
    keep: () => {},
    say: context.note,
  };
  const { mailboxes } = workspace.live.current().gateway;
  const named = flag('persona');
  const persona = named === undefined ? null : personaNamed(workspace, named).id;
  const mailbox = addressIn(given ?? (await prompts?.mailbox(undefined)) ?? missing('the address'));
  const holder = holderOf(present, mailbox)?.id ?? null;
  if (persona !== null && holder !== null && holder !== persona)
    throw new EngineError('usage', `${mailbox} is an address of the persona ${holder}`);
  const id = flag('id') ?? freeId(mailbox, mailboxes);
  assertFree(id, mailboxes);
  const asked = await askServers(asking, { id, mailbox, present: null });
  assertNew(asked, mailboxes);
  const { connection, loginOf, secrets } = await askLogin(asking, asked);
  assertNew(connection, mailboxes);
  const { trial, border } = await roundTrip(connection, loginOf, present.configs, asking.say);
  const wanted = wantedOfMailbox(workspace, { connection, border, present, secrets, persona });
  const change = planChange(root, wanted, workspace.pass);
  change.write();
  workspace.live.sweep();
  const { imap, smtp, oauth } = connection;
  return {
    id,
    mailbox,
    imap,
    smtp,
    persona: persona ?? holder,
    trial: { authserv_id: border.authservId, trusted_received: border.trustedReceived, took_ms: trial.tookMs },
    written: [
      ...change.changes.map((one) => `${one.file}  ${keyOf(one)}`),
      ...(oauth ? ['data/oauth/'] : [`.env  ${secretNameOf(connection)}`]),
    ],
  };
}

/** What is written for one more mailbox. `persona`: gets its mail there and writes by it. */
export function wantedOfMailbox(
  workspace: Pick<Workspace, 'root' | 'live'>,
  added: {
    readonly connection: MailboxConnection;
    readonly border: LearnedServer;
    readonly present: Present;
    readonly secrets: Readonly<Record<string, string>>;
    readonly persona: string | null;
  },
): Wanted {
  const { connection, border, present, secrets, persona } = added;
  const { id, mailbox } = connection;
  const before = present.configs.gateway.mailboxes;
  const login = { user: connection.user };
  const unmoved = { name: undefined, timezone: undefined, language: undefined };
  return {
    settings: [
      ...settingsOfMailbox(connection, border, present),
      ...(persona === null ? [] : settingsOfEdit(workspace, persona, { ...unmoved, address: mailbox, mailbox: id })),
      // By which the others send may not become a question of the order in which mailboxes stand.
      ...senderSettings(
        present.personas.filter((one) => one.id !== persona),
        { before, after: [...before, { id, imap: login, smtp: login }] },
      ),
    ],
    secrets: Object.entries(secrets).map(([name, value]) => ({ name, value })),
  };
}

/** Two mailboxes share neither a name nor the variable of a secret. */
function assertFree(id: string, mailboxes: readonly MailboxConfig[]): void {
  const name = secretNameOf({ id });
  const other = mailboxes.find(
    (one) => one.id === id || [one.imap, one.smtp].some((side) => side?.secret_env === name),
  );
  if (other)
    throw new EngineError(
      'usage',
      `the mailbox ${other.id} has this name, or its secret is ${name}; choose another --id`,
    );
}

/** Read twice, every mail would come twice. Servers tell neither names of hosts nor, as a rule, those of users apart by case. */
function assertNew({ imap, user }: MailboxConnection, mailboxes: readonly MailboxConfig[]): void {
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  const same = mailboxes.find((one) => one.imap && isSame(one.imap.host, imap.host) && isSame(one.imap.user, user));
  if (same) throw new EngineError('usage', `the mailbox ${same.id} reads ${user} at ${imap.host} already`);
}
