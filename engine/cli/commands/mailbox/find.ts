import { hasToBeConfirmed } from '../../../mailbox/finding/candidates.ts';
import { type FoundServer, type FoundServers, findServers } from '../../../mailbox/finding/find-servers.ts';
import { systemLookups } from '../../../mailbox/finding/lookups.ts';
import { defineCommand } from '../../command/define.ts';

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

const SAID_BY = {
  known: 'as its provider publishes it',
  exchanger: 'as the provider publishes it to which the mail of this domain goes',
  autoconfig: 'as its domain says (autoconfig)',
  well_known: 'as its domain says (.well-known)',
  srv: 'as its domain says (SRV)',
  guess: 'found under the usual name',
  exchanger_autoconfig: 'as the domain of its mail exchanger says',
  directory: "as Thunderbird's directory says",
  plain_http: 'said over plain HTTP, by anybody in between',
} as const;

/** For people: the servers of an address, who named them, and what has to be done first. */
function findingInWords({ address, provider, imap, smtp }: FoundServers): string {
  if (!imap && !smtp) {
    return `Nobody names servers for ${address}, and none answers under the usual names. Ask whoever runs the mailbox.`;
  }
  return [
    `${address}${provider ? ` (${provider.name})` : ''}`,
    `  IMAP: ${serverInWords(imap)}`,
    `  SMTP: ${serverInWords(smtp)}`,
    ...(provider?.hints ?? []).map((hint) => `  ${hint}`),
    ...(provider?.passwordPage ? [`  Its page for passwords: ${provider.passwordPage}`] : []),
  ].join('\n');
}

function serverInWords(found: FoundServer | null): string {
  if (!found) return 'not found';
  const { server, source, user, provider, answered } = found;
  const place = `${server.host} port ${server.port}, ${server.tls === 'implicit' ? 'TLS' : 'STARTTLS'}, user ${user}`;
  const answer = provider || answered ? '' : '; it does not answer as it should';
  const confirm = hasToBeConfirmed(found) ? '; confirm that it is yours before you give it a password' : '';
  return `${place}; ${SAID_BY[source]}${answer}${confirm}`;
}
