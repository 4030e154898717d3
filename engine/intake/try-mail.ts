import type { PersonaEntry } from '../config/types.ts';
import type { Identity } from '../mail/mime/types.ts';
import type { NewTest } from '../storage/ports/runs.ts';
import type { DeferredCode } from '../storage/types/runs.ts';
import { decide, decideBySender, type MailDecision } from './decide.ts';
import type { IntakeDeps } from './deps.ts';
import { rowsOfRun } from './effects/arrival-rows.ts';
import { factsFor, identify, understand } from './identify.ts';
import type { IncomingMail } from './incoming.ts';
import { look } from './look.ts';

/** A mail as somebody proven would write it to a persona. */
export interface TriedMail {
  readonly from: string;
  readonly subject: string;
  readonly text: string;
}

/** What would become of it; `begins`: the rows of its run, where it would be worked. */
export interface Tried {
  readonly decision: MailDecision;
  /** Why it would be taken in and worked later; null: nothing holds it up. */
  readonly waits: DeferredCode | null;
  readonly begins: NewTest['begins'];
}

/**
 * Decides about a mail that nobody has sent by the very rules for one that arrives, and writes nothing. How many mails came
 * before does not stop it.
 */
export async function tryMail(
  deps: IntakeDeps,
  { persona }: Extract<PersonaEntry, { state: 'ready' }>,
  { from, subject, text }: TriedMail,
): Promise<Tried> {
  const { ids, clock } = deps;
  const messageId = `<${ids.next()}@test.invalid>`;
  const raw = rawOf({ from, to: persona.address, subject, text, messageId, at: clock.now() });
  const incoming: IncomingMail = {
    raw,
    arrival: { door: 'submission' },
    envelope: { returnPath: from, recipients: [persona.address] },
    place: null,
    fate: { again: [], asked: persona.id },
  };
  const understood = await understand(deps, incoming);
  const author = await identify(deps, incoming, understood);
  const [addressee] = understood.addressees;
  if (addressee?.entry.state !== 'ready') return { decision: NO_ADDRESS, waits: null, begins: null };
  const received = { incoming, understood, author: { ...author, identity: provenAs(from) } };
  const facts = factsFor(deps, received, { address: addressee.address, entry: addressee.entry });
  const settled = decideBySender(facts);
  if (settled !== null) return { decision: settled, waits: null, begins: null };
  const known = { ...facts, ...(await look(deps, facts, { isSupposedNew: false })) };
  const decision = decide(known);
  const waits = known.waiting?.code ?? null;
  if (decision.do !== 'run' || waits !== null) return { decision, waits, begins: null };
  const { newThread, message, run, ownerMail } = rowsOfRun(deps, known, decision, []);
  if (newThread === undefined || message === undefined) throw new Error('a mail that answers nothing begins a thread');
  const begins = {
    thread: newThread,
    // Whoever it is, they have written nothing, and call themselves nothing.
    message: { ...message, duplicate_key: null, from_name: '', raw_sha256: null },
    run,
    ...(ownerMail ? { ownerMail } : {}),
  };
  return { decision, waits, begins };
}

const NO_ADDRESS: MailDecision = { do: 'defer', code: 'persona_error', since: null };

/** As with a login: nobody looks up what nobody has sent. */
const provenAs = (address: string): Identity => ({
  address,
  authenticated: true,
  method: 'submission',
  ground: 'login',
  covers: null,
  signatures: [],
  detail: 'a test: nobody has sent it',
  temporary: false,
});

/** RFC 2047: an encoded word has 75 characters at most. */
const SIGNS_OF_WORD = 10;
/** RFC 2045: so long is a line of base64. */
const LINES = /.{1,76}/g;

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

function rawOf({
  from,
  to,
  subject,
  text,
  messageId,
  at,
}: TriedMail & { readonly to: string; readonly messageId: string; readonly at: number }): Uint8Array {
  const signs = [...subject];
  const words = Array.from(
    { length: Math.ceil(signs.length / SIGNS_OF_WORD) },
    (_, word) => `=?UTF-8?B?${base64(signs.slice(word * SIGNS_OF_WORD, (word + 1) * SIGNS_OF_WORD).join(''))}?=`,
  );
  const lines = base64(text).match(LINES) ?? [];
  const head = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${words.join('\r\n ')}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${messageId}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
  ];
  return Buffer.from([...head, '', ...lines, ''].join('\r\n'));
}
