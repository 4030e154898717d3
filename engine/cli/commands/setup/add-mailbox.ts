import { EngineError } from '#contract';
import { editPersona } from '../../../actions/set-up/edit-persona.ts';
import type { MailboxConfig } from '../../../config/types.ts';
import { keyOf, writeSettings } from '../../../config/writing/settings.ts';
import { personaNamed } from '../../../queries/find-across.ts';
import { addressIn } from '../../command/addresses.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import { type Connection, idOf, MAIN, secretNameOf } from './answers.ts';
import { createPrompts, orBrokenOff } from './ask.ts';
import { CONNECTION_OPTIONS, flagOf } from './connection-options.ts';
import { presentIn } from './folder.ts';
import { settingsOfMailbox } from './plan.ts';
import { roundTrip } from './round-trip.ts';
import { type Asking, askLogin, askServers, missing } from './steps.ts';

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
  const asking: Asking = {
    ...{ context, root, prompts, flag, saved: () => ({}), keep: () => {} },
    say: context.note,
  };
  const { mailboxes } = workspace.live.current().gateway;
  const named = flag('persona');
  const persona = named === undefined ? null : personaNamed(workspace, named).id;
  const mailbox = addressIn(given ?? (await prompts?.mailbox(undefined)) ?? missing('the address'));
  const holder = workspace.live.personas().byAddress(mailbox)?.id ?? null;
  if (persona !== null && holder !== null && holder !== persona)
    throw new EngineError('usage', `${mailbox} is an address of the persona ${holder}`);
  const id = flag('id') ?? freeId(mailbox, mailboxes);
  assertFree(id, mailboxes);
  const connection = await askServers(asking, { id, mailbox });
  assertNew(connection, mailboxes);
  const loginOf = await askLogin(asking, connection);
  const { trial, border } = await roundTrip(connection, loginOf, asking.say);
  const changes = settingsOfMailbox(connection, border, presentIn(root));
  writeSettings(root, changes);
  if (persona !== null)
    editPersona(workspace, persona, {
      ...{ name: undefined, timezone: undefined, language: undefined },
      ...{ address: mailbox, mailbox: id },
    });
  workspace.live.sweep();
  const { imap, smtp, oauth } = connection;
  return {
    ...{ id, mailbox, imap, smtp, persona: persona ?? holder },
    trial: { authserv_id: border.authservId, trusted_received: border.trustedReceived, took_ms: trial.tookMs },
    written: [
      ...changes.map((one) => `${one.file}  ${keyOf(one)}`),
      ...(persona === null ? [] : [`personas/${persona}/persona.json  address, mailbox`]),
      oauth ? 'data/oauth/' : `.env  ${secretNameOf(connection)}`,
    ],
  };
}

/** Pure. The first one has the name that setup gives; more of one domain are counted. */
export function freeId(address: string, mailboxes: readonly Pick<MailboxConfig, 'id'>[]): string {
  const [domain = ''] = address.slice(address.lastIndexOf('@') + 1).split('.');
  const wanted = mailboxes.length === 0 ? MAIN : idOf(domain);
  const isTaken = (id: string) => mailboxes.some((one) => one.id === id);
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? wanted : `${wanted}-${count}`;
    if (!isTaken(id)) return id;
  }
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
function assertNew({ imap, user }: Connection, mailboxes: readonly MailboxConfig[]): void {
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  const same = mailboxes.find((one) => one.imap && isSame(one.imap.host, imap.host) && isSame(one.imap.user, user));
  if (same) throw new EngineError('usage', `the mailbox ${same.id} reads ${user} at ${imap.host} already`);
}
