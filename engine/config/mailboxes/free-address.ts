import { EngineError } from '#contract';
import { addressKey } from '../address.ts';
import type { GatewayConfig, MailboxConfig, PersonaDirectory } from '../types.ts';
import { noMailbox } from './no-mailbox.ts';
import { plusAddress, receiving } from './sending-mailbox.ts';

/** Where a new persona gets its mail. */
export interface FreeAddress {
  readonly address: string;
  /** The mailbox that receives it, which a mail can be sent to; null: it comes by SMTP, or nobody knows how. */
  readonly mailbox: MailboxConfig | null;
}

/** The address of a mailbox that is read; null where its login is none. */
const addressOf = ({ imap }: MailboxConfig): string | null => (imap?.user.includes('@') ? imap.user : null);

const LOOPBACK = /^(localhost|::1|127\..*)$/;

/** Whether mail comes from outside by SMTP, so that a mailbox is not the only way in. */
const isOpen = ({ smtp_listener: { enabled, host, trusted_relays } }: GatewayConfig): boolean =>
  enabled && (trusted_relays.length > 0 || !LOOPBACK.test(host));

/**
 * Pure. The address of a new persona: the one that is given, else that of its mailbox, or, where somebody has that, the same
 * with the id behind a plus sign; without a mailbox one of the domain. Throws `usage` where several mailboxes could be its.
 */
export function placeOf(
  gateway: GatewayConfig,
  personas: Pick<PersonaDirectory, 'all'>,
  wanted: { readonly id: string; readonly address: string | undefined; readonly mailbox: string | undefined },
): FreeAddress {
  const { id, address, mailbox } = wanted;
  const read = gateway.mailboxes.filter((one) => addressOf(one) !== null);
  const named = gateway.mailboxes.find((one) => one.id === mailbox);
  if (mailbox !== undefined && named === undefined)
    throw new EngineError(
      'usage',
      noMailbox(
        mailbox,
        gateway.mailboxes.map((one) => one.id),
      ),
    );
  if (address !== undefined) return { address, mailbox: receiverOf(gateway, address, named) };
  if (named === undefined && (read.length === 0 || isOpen(gateway)))
    return { address: `${id}@${gateway.domain}`, mailbox: null };
  if (named === undefined && read.length > 1) {
    const listed = read.map((one) => `${one.id} (${addressOf(one)})`).join(' or ');
    throw new EngineError('usage', `say by which mailbox it gets its mail, with --mailbox: ${listed}`);
  }
  const box = named ?? read[0];
  const own = box && addressOf(box);
  if (!box || !own) throw new EngineError('usage', `say its --address: the login of ${mailbox} is none`);
  return { address: isClaimed(personas, own) ? plusAddress(own, id) : own, mailbox: box };
}

/** Of an address that may also come by SMTP, only a login that is it, or it without its tag, says so. */
function receiverOf(gateway: GatewayConfig, address: string, named: MailboxConfig | undefined): MailboxConfig | null {
  const sure = (['exact', 'tag'] as const).map((how) =>
    gateway.mailboxes.find((one) => one.imap !== undefined && receiving(one, address) === how),
  );
  const maybe = gateway.mailboxes.filter((one) => addressOf(one) !== null && receiving(one, address) === 'maybe');
  return named ?? sure[0] ?? sure[1] ?? (isOpen(gateway) || maybe.length !== 1 ? null : (maybe[0] ?? null));
}

/** An exact address comes before one with a tag, so only the exact one is taken. */
function isClaimed(personas: Pick<PersonaDirectory, 'all'>, address: string): boolean {
  const key = addressKey(address);
  return [...personas.all()].some((one) =>
    (one.state === 'ready' ? [one.persona.address, ...one.persona.aliases] : one.addresses).some(
      (each) => addressKey(each) === key,
    ),
  );
}
