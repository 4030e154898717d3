import { findServers } from '../../../mailbox/finding/find-servers.ts';
import { systemLookups } from '../../../mailbox/finding/lookups.ts';
import { defineCommand } from '../../command/define.ts';
import { findingInWords } from './finding-in-words.ts';

export const find = defineCommand({
  name: 'mailbox find',
  summary: 'Find the servers of a mail address, without logging in',
  arguments: ['<address>'],
  options: {
    directory: { flags: '--directory', about: "also ask Thunderbird's directory, which learns the domain" },
  },
  run: (_context, { args: [address], options: { directory = false } }) =>
    findServers(address, { lookups: systemLookups(), askDirectory: directory }),
  json: ({ provider, imap, smtp, others, address }) => ({
    address,
    provider: provider && { id: provider.id, name: provider.name, login: provider.login, hints: provider.hints },
    imap: imap && { ...imap, provider: undefined },
    smtp: smtp && { ...smtp, provider: undefined },
    others: others.map((one) => ({ ...one, provider: undefined })),
  }),
  text: findingInWords,
  exitCode: ({ imap, smtp }) => (imap && smtp ? 0 : 1),
});
