import { listMailboxes } from '../../../queries/gateway/mailboxes.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { mailboxInWords } from '../../text/mailbox.ts';
import { addMailbox } from '../setup/add-mailbox.ts';
import { find } from './find.ts';
import { login } from './login.ts';
import { remove } from './remove.ts';
import { mailboxResync } from './resync.ts';
import { test } from './test.ts';

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
  empty:
    'No mailboxes; mail comes in through the SMTP listener and leaves into data/outgoing/. `epistle mailbox add` adds one.',
});

export const mailbox: Group = {
  name: 'mailbox',
  summary: 'Where mail is fetched from and sent through',
  commands: [list, addMailbox, remove, test, find, login, mailboxResync],
};
