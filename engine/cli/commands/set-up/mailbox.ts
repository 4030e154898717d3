import { listMailboxes, probeMailboxes } from '../../../queries/gateway/mailboxes.ts';
import { defineCommand, type Group } from '../../define.ts';
import { mailboxInWords } from '../../text/mailbox.ts';

const list = defineCommand({
  name: 'mailbox list',
  summary: 'The mailboxes of configs/gateway.json',
  run: async ({ open }) => listMailboxes(open({ tolerant: true })),
  json: ({ mailboxes }) => ({ mailboxes, next: null }),
  rows: ({ mailboxes, isRunning }) => mailboxes.map((one) => ({ ...one, isRunning })),
  columns: {
    ID: ({ id }) => id,
    STATE: (one) => (one.imap ? mailboxInWords(one, one.isRunning) : 'only sends'),
    IMAP: ({ imap }) => (imap ? `${imap.host}:${imap.port}` : '-'),
    SMTP: ({ smtp }) => (smtp ? `${smtp.host}:${smtp.port}` : '-'),
  },
  empty: 'No mailboxes; mail comes in through the SMTP listener and leaves into data/outgoing/.',
});

const line = (what: string, one: { ok: boolean; message: string } | null): string[] =>
  one === null ? [] : [`  ${what}: ${one.ok ? 'ok' : 'FAILED'}, ${one.message}`];

const test = defineCommand({
  name: 'mailbox test',
  summary: 'Log in to a mailbox, or to all of them, and leave again',
  arguments: ['[id]'],
  run: async ({ open }, { args: [id] }) => ({ mailboxes: await probeMailboxes(open(), id) }),
  text: ({ mailboxes }) =>
    mailboxes.length === 0
      ? 'No mailboxes are configured.'
      : mailboxes.flatMap((one) => [one.id, ...line('imap', one.imap), ...line('smtp', one.smtp)]).join('\n'),
  exitCode: ({ mailboxes }) => (mailboxes.every(({ imap, smtp }) => imap?.ok !== false && smtp?.ok !== false) ? 0 : 1),
});

export const mailbox: Group = {
  name: 'mailbox',
  summary: 'Where mail is fetched from and sent through',
  commands: [list, test],
};
