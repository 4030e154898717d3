import { isSafeForTokens } from '../../config/mailbox-schema.ts';
import { carriesLogIns } from '../../config/mailboxes/other-ids.ts';
import { plusAddress, receives, receiving } from '../../config/mailboxes/sending-mailbox.ts';
import type { GatewayConfig, MailboxConfig, Persona, SecurityConfig, SystemConfig } from '../../config/types.ts';
import { isBorderName, UNNAMED } from '../../mail/identity/border/results-header.ts';
import { trustedServers } from '../../mail/identity/login-line.ts';
import type { ConsolePasskey, SeenMail } from '../../storage/types/gateway.ts';
import { learns } from '../mail/cures.ts';
import type { QueryPorts } from '../ports.ts';
import { borderNameChecks, loginChecks, trustedChecks } from './borders.ts';
import { bad, type Check, fine, warn } from './check.ts';

/** What `init` writes. */
const PLACEHOLDER = 'you@agents.localhost';

/** Whether real mail can come, and whose it can be seen to be. */
export async function wayInChecks(ports: QueryPorts): Promise<Check[]> {
  const { gateway, security, system } = ports.live.current();
  const personas = [...ports.live.personas().all()].flatMap((one) => (one.state === 'ready' ? [one.persona] : []));
  const refused = await ports.gateway.listReceived({ limit: LOOKED_AT });
  const unread = await Promise.all(
    gateway.mailboxes.map(async (mailbox) =>
      (await ports.gateway.loadCursor(mailbox.id)) === undefined ? firstConnectCheck(mailbox) : [],
    ),
  );
  return [
    ...addressCheck(gateway, personas),
    // Mail has come to whoever has a database.
    ...unsureAddresses(
      gateway,
      personas.filter(({ id }) => !ports.stores.exists(id)),
    ),
    ...placeholderCheck(gateway, security, personas),
    ...logInCheck(gateway, system),
    ...oidcCheck(system, ports.environment.secretOf),
    ...passkeyCheck(await ports.gateway.listPasskeys(), system),
    ...unread.flat(),
    ...borderNameChecks(gateway),
    ...trustedChecks(gateway, security),
    ...loginChecks(security),
    ...gateway.mailboxes.flatMap((mailbox) => [
      ...proofCheck(mailbox, security, refused),
      ...ownDomainCheck(mailbox, security, refused),
    ]),
  ];
}

const LOOKED_AT = 500;

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** Pure. Nothing is wrong where no mailbox is read: mail then comes by SMTP. */
export function addressCheck(
  { mailboxes, smtp_listener: { enabled, host } }: GatewayConfig,
  personas: readonly Pick<Persona, 'id' | 'address' | 'aliases'>[],
): Check[] {
  const read = mailboxes.filter(({ imap }) => imap !== undefined);
  const [first] = personas;
  if (read.length === 0 || first === undefined) return [];
  const reached = personas.filter(({ address, aliases }) =>
    [address, ...aliases].some((one) => read.some((mailbox) => receives(mailbox, one))),
  );
  if (reached.length > 0) return [fine('addresses', `${reached.map(({ id }) => id).join(', ')} can be written to`)];
  const isOpen = enabled && host !== 'localhost' && host !== '::1' && !host.startsWith('127.');
  if (isOpen) return [fine('addresses', 'mail for the personas comes by SMTP; no mailbox receives it')];
  const users = read.map(({ id, imap }) => `${id} (${imap?.user})`).join(', ');
  return [
    bad(
      'addresses',
      `no persona has an address that a mailbox receives: mailbox ${users}; ${first.id} is ${first.address}`,
      `set address in personas/${first.id}/persona.json to ${read[0]?.imap?.user}, or to that with a plus-tag`,
    ),
  ];
}

/** Pure. An address that only a catch-all receives: the server may know none of it. */
export function unsureAddresses(
  { mailboxes, smtp_listener: { enabled, host, trusted_relays } }: GatewayConfig,
  personas: readonly Pick<Persona, 'id' | 'address' | 'aliases'>[],
): Check[] {
  const read = mailboxes.filter(({ imap }) => imap?.user.includes('@'));
  const comesBySmtp =
    enabled && (trusted_relays.length > 0 || !(host === 'localhost' || host === '::1' || host.startsWith('127.')));
  if (comesBySmtp || read.length < mailboxes.filter(({ imap }) => imap !== undefined).length) return [];
  return personas.flatMap(({ id, address, aliases }) => {
    const how = [address, ...aliases].flatMap((one) => read.map((mailbox) => receiving(mailbox, one)));
    if (!how.includes('maybe') || how.includes('exact') || how.includes('tag')) return [];
    const [user = ''] = read.flatMap((mailbox) =>
      receiving(mailbox, address) === 'maybe' ? (mailbox.imap?.user ?? []) : [],
    );
    const message = `nothing has come to ${address} yet, and the login ${user} does not show that its mailbox receives it`;
    const cure = `write to it, or give it ${plusAddress(user, id)}: \`epistle persona edit ${id} --address ${plusAddress(user, id)}\``;
    return [{ ...warn(`addresses:${id}`, message), cure }];
  });
}

/** Pure. In a workspace without a mailbox the placeholder is who `send` writes as. */
export function placeholderCheck(
  { mailboxes }: Pick<GatewayConfig, 'mailboxes'>,
  { owners }: Pick<SecurityConfig, 'owners'>,
  personas: readonly Pick<Persona, 'id' | 'owners'>[],
): Check[] {
  const placed = personas.find((persona) => persona.owners.includes(PLACEHOLDER));
  if (mailboxes.length === 0 || (!owners.includes(PLACEHOLDER) && placed === undefined)) return [];
  const file = owners.includes(PLACEHOLDER) ? 'configs/security.json' : `personas/${placed?.id}/persona.json`;
  return [
    bad(
      'owner_placeholder',
      `the owner is ${PLACEHOLDER}, the placeholder of \`epistle init\`: no mail of yours counts as an owner’s`,
      `set owners in ${file} to your own address`,
    ),
  ];
}

/** Pure. What is switched on and cannot be offered. */
export function logInCheck(
  { mailboxes }: Pick<GatewayConfig, 'mailboxes'>,
  { console: { enabled, screens, log_in_by_mail: isOn } }: Pick<SystemConfig, 'console'>,
): Check[] {
  if (!enabled || !screens || !isOn || mailboxes.some(carriesLogIns)) return [];
  const message =
    'console.log_in_by_mail is on, and no mailbox can send such a mail: it takes SMTP, over a server that leaves our Message-IDs as they are (Outlook.com and Microsoft 365 do not)';
  const cure = 'log in by `epistle console`, give an owner a persona with such a mailbox, or switch it off';
  return [{ ...warn('console:log_in_by_mail', message), cure }];
}

/** Pure. A provider that is named and lets nobody in. */
export function oidcCheck(
  { console: { enabled, screens, oidc, public_url: url } }: Pick<SystemConfig, 'console'>,
  secretOf: (name: string) => string | undefined,
): Check[] {
  if (oidc === null) return [];
  const name = 'console:oidc';
  const { client_secret_env: secret } = oidc;
  const off = {
    ...warn(name, 'console.oidc names a provider, and the console has no pages (console.enabled and console.screens)'),
  };
  if (!enabled || !screens) return [{ ...off, cure: 'switch it on by `epistle console`, or set console.oidc to null' }];
  if (url === null || !isSafeForTokens(url) || new URL(url).pathname !== '/')
    return [
      bad(
        name,
        'console.oidc names a provider, and nobody can come back from there: that takes a console.public_url under https, without a path',
        'set console.public_url to the address under which a browser reaches the console',
      ),
    ];
  if (secret !== null && secretOf(secret) === undefined)
    return [
      bad(name, `${secret} is not set, so the provider of console.oidc lets nobody in`, `put ${secret}=… into .env`),
    ];
  return [
    fine(
      name,
      `owners may log in by ${oidc.issuer}; it has to lead back to ${new URL('/session/oidc/back', url).href}`,
    ),
  ];
}

/** Pure. Passkeys that let nobody in, as they were made for another name: devices give them to no other (Web Authentication, RP ID). */
export function passkeyCheck(
  kept: readonly Pick<ConsolePasskey, 'rp_id'>[],
  { console: { enabled, screens, public_url: url } }: Pick<SystemConfig, 'console'>,
): Check[] {
  const host = url === null ? null : new URL(url).hostname;
  const lost = kept.filter(({ rp_id: made }) => made !== host);
  if (!enabled || !screens || lost.length === 0) return [];
  const names = [...new Set(lost.map(({ rp_id: made }) => made))].join(', ');
  const message = `${lost.length} of ${kept.length} passkeys of the console let nobody in: they were made for ${names}, and console.public_url ${host === null ? 'is not set' : `names ${host}`}`;
  const cure = 'name that host in console.public_url again, or take them away: `epistle passkeys list`';
  return [{ ...warn('console:passkeys', message), cure }];
}

/** Pure. Of a mailbox that no gateway has read yet. */
export function firstConnectCheck({ id, imap }: Pick<MailboxConfig, 'id' | 'imap'>): Check[] {
  if (imap?.first_connect !== 'now') return [];
  const message = `no gateway has read it yet, and mail that comes before one does is not answered (first_connect is now)`;
  const cure = `start the gateway before you write to it, or set imap.first_connect of mailbox ${id} to all`;
  return [{ ...warn(`mailbox:${id}:first_connect`, message), cure }];
}

/**
 * Pure. A server that takes mail from its own users often writes no verdict into it. Asked of a border of the mailbox's
 * own domain alone: large providers judge all mail.
 */
export function ownDomainCheck(
  { id, imap }: Pick<MailboxConfig, 'id' | 'imap'>,
  { gateway_auth: { mode, trusted_received } }: Pick<SecurityConfig, 'gateway_auth'>,
  rows: readonly Row[],
): Check[] {
  if (!imap?.authserv_id || mode === 'monitor' || !imap.user.includes('@')) return [];
  const domain = domainOf(imap.user);
  const isOwnBorder = imap.authserv_id === domain || imap.authserv_id.endsWith(`.${domain}`);
  if (!isOwnBorder || trustedServers(trusted_received).loginServers.length > 0) return [];
  const isProven = rows.some(
    ({ mailbox, decision, from_address: from }) =>
      mailbox === id && decision === 'accepted' && from !== null && domainOf(from) === domain,
  );
  if (isProven) return [];
  const message = `${imap.authserv_id} may write no verdict into mail that one user of ${domain} sends to another`;
  return [{ ...warn(`mailbox:${id}:own_domain`, message), cure: learns(id) }];
}

type Row = Pick<SeenMail, 'mailbox' | 'decision' | 'code' | 'from_address' | 'message_id'>;

/** Pure. `rows`: the newest mail that came. */
export function proofCheck(
  { id, imap }: Pick<MailboxConfig, 'id' | 'imap'>,
  { gateway_auth: { mode } }: Pick<SecurityConfig, 'gateway_auth'>,
  rows: readonly Row[],
): Check[] {
  if (!imap || mode === 'monitor') return [];
  const name = `mailbox:${id}:proof`;
  const mine = rows.filter(({ mailbox }) => mailbox === id);
  // What was refused once may have been taken in since, and no longer lies in the mailbox then.
  const taken = new Set(rows.filter(({ decision }) => decision === 'accepted').map(({ message_id }) => message_id));
  const unproven = mine.filter(
    ({ decision, code, message_id }) => decision === 'refused' && code === 'auth_failed' && !taken.has(message_id),
  );
  // Said by a check of its own.
  if (imap.authserv_id !== null && !isBorderName(imap.authserv_id)) return [];
  const isProving = mine.some(({ message_id }) => taken.has(message_id));
  const whose = `${unproven.length} of its newest mails (the last of ${unproven[0]?.from_address ?? 'nobody'})`;
  if (imap.authserv_id === null) {
    const inside = imap.user.includes('@') ? `; mail within ${domainOf(imap.user)} is hardly ever signed` : '';
    const message = `without imap.authserv_id only senders whose own domain signs their mail (DKIM) are proven${inside}`;
    if (unproven.length === 0) return [{ ...warn(name, message), cure: learns(id) }];
    return [
      bad(
        name,
        `${message}; ${whose} were refused as unproven`,
        `${learns(id)}; by hand, set imap.authserv_id of mailbox ${id} in configs/gateway.json to the name with which Authentication-Results of its mail begin`,
      ),
    ];
  }
  const border = imap.authserv_id === UNNAMED ? 'a border without a name' : imap.authserv_id;
  if (unproven.length > 0 && !isProving) {
    return [
      bad(
        name,
        `no mail was proven by ${border}; ${whose} were refused as unproven`,
        `${learns(id)}; by hand, look at \`epistle why last\`: imap.authserv_id of mailbox ${id} has to be the name with which Authentication-Results of its mail begin, and gateway_auth.trusted_received may have to name the hosts that it passes`,
      ),
    ];
  }
  return [fine(name, `${border} is believed`)];
}
