import { personaSchema } from '../../../../engine/config/persona-schema.ts';
import { identityFor } from '../../../../engine/intake/rules/admit.ts';
import type { Authenticator } from '../../../../engine/mail/identity/authenticate.ts';
import { createAuthenticator } from '../../../../engine/mail/identity/authenticate.ts';
import { provenPart } from '../../../../engine/mail/identity/proven-part.ts';
import type { SenderChecks } from '../../../../engine/mail/identity/sender-checks.ts';
import type { Identity, ParsedMail } from '../../../../engine/mail/mime/types.ts';
import { concluded } from '../../../corpus/borders/conclude.ts';
import { type Border, bordered, type Facts, type Session } from '../../../corpus/borders/facts.ts';
import { type Letter, PERSONA, RECORDS, rawOf } from '../../../corpus/borders/letters.ts';
import { parsed } from '../fixtures.ts';

/** The two ways from a border to a persona. */
export const DOORS = ['imap', 'relay'] as const;
export type Door = (typeof DOORS)[number];

export const throughBorders =
  (checks: SenderChecks) =>
  (border: Border): Authenticator =>
    createAuthenticator({
      dnsServers: [],
      trustedReceived: border.trustedReceived,
      hostname: 'gateway.agents.test',
      signatureMaxAgeDays: 7,
      checks,
      resolver: async (name, type) => {
        const record = type === 'TXT' ? RECORDS[name] : undefined;
        if (record === undefined) throw Object.assign(new Error(`${name} is not there`), { code: 'ENOTFOUND' });
        return [[record]];
      },
    });

export type Seen = Pick<Facts, 'quotes' | 'cleans' | 'order'>;

export interface Brought {
  readonly facts: Facts;
  readonly raw: Buffer;
  readonly mail: ParsedMail;
  readonly identity: Identity;
  /** As this persona takes it: a signature is worth what it covers. */
  readonly final: Identity;
  /** What counts as the sender's words. */
  readonly words: ParsedMail;
}

const persona = { ...personaSchema.parse({ name: 'Ada', address: PERSONA }), id: 'ada', owners: [] };

export const seenBy = (letter: Letter, session: Session, seen: Seen): Promise<Facts> =>
  concluded(rawOf(letter), session, { records: RECORDS, ...seen });

/** The mail as the border hands it on, and what becomes of its sender. */
export async function brought(
  letter: Letter,
  { border, facts, door, authenticator }: { border: Border; facts: Facts; door: Door; authenticator: Authenticator },
): Promise<Brought> {
  const raw = bordered(rawOf(letter), border, facts, door === 'imap' ? 'stored' : 'handed on');
  const mail = await parsed(raw);
  const { authservId } = border;
  // The relay's envelope is told, whether or not the engine asks for it.
  const relay = { door: 'relay' as const, authservId, mailFrom: facts.mailFrom };
  const arrival = door === 'imap' ? { door, authservId } : relay;
  const identity = await authenticator.authenticate(raw, mail, { arrival, arrivedAt: Date.now(), account: PERSONA });
  const words = provenPart(mail, identity);
  const final = identityFor(identity, { persona, written: [...words.to, ...words.cc].map(({ address }) => address) });
  return { facts, raw, mail, identity, final, words };
}
