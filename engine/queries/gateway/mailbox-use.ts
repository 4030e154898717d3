import { EngineError } from '#contract';
import { draftsMailbox, keyOfDrafts } from '../../config/mailboxes/drafts-mailbox.ts';
import { noMailbox } from '../../config/mailboxes/no-mailbox.ts';
import { mailboxesToSendBy, mailboxToSendBy, receives, senderOf } from '../../config/mailboxes/sending-mailbox.ts';
import type { GatewayConfig, MailboxConfig, Persona } from '../../config/types.ts';
import { variablesIn } from '../../config/writing/env-file.ts';
import { accountOf, clientOfMailbox } from '../../mailbox/oauth/client.ts';
import type { QueryPorts } from '../ports.ts';

/** What a persona has of a mailbox, and what it would have without it. */
export interface PersonaUse {
  readonly id: string;
  readonly address: string;
  /** It names the mailbox in its persona.json. */
  readonly names: boolean;
  /** Mail for it comes by this mailbox, and by none of the others. */
  readonly gets: boolean;
  /** It writes by this mailbox, and without it by that one; null: by none, so that its mail becomes files. */
  readonly writes: { readonly instead: string | null } | null;
  /** Its answers are to lie in Drafts, and no mailbox with IMAP would be left. */
  readonly drafts: boolean;
}

/** A mail that would not leave. */
interface WaitingMail {
  readonly id: string;
  readonly persona: string;
  readonly kind: string;
  readonly state: string;
}

/** What rests on a mailbox. */
export interface MailboxUse {
  readonly id: string;
  readonly imap: string | null;
  readonly smtp: string | null;
  readonly personas: readonly PersonaUse[];
  readonly waiting: readonly WaitingMail[];
  /** Answers in its Drafts folder that are looked for there. */
  readonly drafts: number;
  /** Mails that were left in it for later, such as those of a paused persona. */
  readonly unsettled: number;
  /** Variables of `.env` that no other mailbox names. */
  readonly secrets: readonly string[];
  /** The file with its login by OAuth, from the data folder, where no other mailbox shares it. */
  readonly login: string | null;
}

/** Throws `not_found` with the nearest id. */
export async function mailboxUse(ports: QueryPorts, id: string): Promise<MailboxUse> {
  const { mailboxes } = ports.live.current().gateway;
  const mailbox = mailboxes.find((one) => one.id === id);
  if (!mailbox) {
    const ids = mailboxes.map((one) => one.id);
    throw new EngineError('not_found', noMailbox(id, ids));
  }
  const others = mailboxes.filter((one) => one !== mailbox);
  const all = [...ports.live.personas().all()];
  const side = (one: MailboxConfig['imap'] | MailboxConfig['smtp']) => (one ? `${one.user} at ${one.host}` : null);
  return {
    id,
    imap: side(mailbox.imap),
    smtp: side(mailbox.smtp),
    personas: all.flatMap((one) => (one.state === 'ready' ? (useOf(one.persona, id, mailboxes) ?? []) : [])),
    ...(await unsentThrough(ports, id)),
    unsettled: await ports.gateway.countUnsettled(id),
    ...unusedWithout(mailbox, others, variablesIn(ports.root)),
  };
}

async function unsentThrough(ports: QueryPorts, id: string): Promise<Pick<MailboxUse, 'waiting' | 'drafts'>> {
  const { mailboxes } = ports.live.current().gateway;
  const others = mailboxes.filter((one) => one.id !== id);
  const waiting: WaitingMail[] = [];
  const inDrafts: string[] = [];
  for (const entry of ports.live.personas().all()) {
    const { id: persona } = entry;
    if (!ports.stores.exists(persona)) continue;
    const { mailbox: own, ...addresses } = senderOf(entry);
    const sender = { ...addresses, mailbox: null };
    // What names none leaves through another one, where there is one.
    const isLast = mailboxToSendBy(mailboxes, sender) === id && mailboxesToSendBy(others, sender).length === 0;
    const unsent = await ports.stores.use(persona, (store) => store.unsentOutbox());
    const isDraft = ({ state }: { readonly state: string }) => state === 'draft';
    const drafts = unsent.filter(
      (mail) => isDraft(mail) && draftsMailbox(mailboxes, { ...sender, mailbox: mail.mailbox ?? own })?.id === id,
    );
    inDrafts.push(...drafts.map((mail) => mail.id));
    const here = unsent.filter((mail) => !isDraft(mail) && (mail.mailbox === id || (mail.mailbox === null && isLast)));
    waiting.push(...here.map(({ mailbox: _named, ...mail }) => ({ persona, ...mail })));
  }
  return { waiting, drafts: inDrafts.length };
}

/** Pure. Null: the persona has nothing of it. */
function useOf(
  persona: Pick<Persona, 'id' | 'address' | 'aliases' | 'mailbox' | 'reply'>,
  mailboxId: string,
  mailboxes: GatewayConfig['mailboxes'],
): PersonaUse | null {
  const { id, address } = persona;
  const others = mailboxes.filter((one) => one.id !== mailboxId);
  const addresses = [address, ...persona.aliases];
  const reading = mailboxes.filter((one) => one.imap && addresses.some((each) => receives(one, each)));
  const names = persona.mailbox === mailboxId;
  const gets = reading.length > 0 && reading.every((one) => one.id === mailboxId);
  const isWriting = names || mailboxToSendBy(mailboxes, persona) === mailboxId;
  const unnamed = { ...persona, mailbox: names ? null : persona.mailbox };
  const writes = isWriting ? { instead: mailboxToSendBy(others, unnamed) } : null;
  const drafts =
    keyOfDrafts(persona.reply) !== null &&
    draftsMailbox(others, unnamed) === null &&
    (names || persona.mailbox === null);
  return names || gets || writes !== null || drafts ? { id, address, names, gets, writes, drafts } : null;
}

/** Pure. What of its secrets no other mailbox uses. */
function unusedWithout(
  mailbox: MailboxConfig,
  others: readonly MailboxConfig[],
  inEnv: ReadonlySet<string>,
): Pick<MailboxUse, 'secrets' | 'login'> {
  const namesOf = ({ imap, smtp, oauth }: MailboxConfig) =>
    [imap?.secret_env, smtp?.secret_env, oauth?.client_secret_env].flatMap((name) => (name ? [name] : []));
  const elsewhere = new Set(others.flatMap(namesOf));
  const accountIn = (one: MailboxConfig) => {
    const client = clientOfMailbox(one);
    return client && accountOf(client);
  };
  const account = accountIn(mailbox);
  return {
    secrets: [...new Set(namesOf(mailbox))].filter((name) => inEnv.has(name) && !elsewhere.has(name)),
    login: account === null || others.some((one) => accountIn(one) === account) ? null : `oauth/${account}.json`,
  };
}
