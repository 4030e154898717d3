import type { MailKind } from '../../../engine/storage/types/outbox.ts';

import { call, type Model, type RigOptions } from '../harness/rig.ts';
import type { MailOffice } from './office.ts';

export const OWNER = 'owner@example.com';
export const BOB = { from: 'bob@member.example', name: 'Bob Hansen' };

/** One kind of mail that the gateway writes. Adding one here adds its snapshots and its pictures. */
export interface Kind {
  readonly name: string;
  readonly kind: MailKind;
  readonly to?: string;
  readonly options?: Partial<RigOptions>;
  readonly model: Model;
  /** What happens, up to the moment when the mail is in the outbox; `say` picks the words of the language. */
  happens(office: MailOffice, say: (words: { readonly en: string; readonly de: string }) => string): Promise<void>;
}

export type Spoken = 'en' | 'de';

/** Calls these in its first turn and then says what it is told to. */
export const calling =
  (calls: readonly { name: string; args: object }[], text = 'OK.'): Model =>
  ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? { text }
      : { toolCalls: calls.map(({ name, args }, index) => call(`c${index}`, name, args as never)) };

const LUNCH = {
  en: {
    subject: 'Send note to Carol',
    text: 'Please mail Carol that lunch is at 12 today, and that I bring the cake.',
  },
  de: {
    subject: 'Notiz an Carol',
    text: 'Bitte schreib Carol, dass das Mittagessen heute um 12 ist und ich den Kuchen mitbringe.',
  },
};
export const TO_CAROL = { to: ['carol@test.local'], subject: 'Lunch', body: 'Hi Carol,\n\nlunch is at 12.\n\nBob' };

export const request = (
  say: Parameters<Kind['happens']>[1],
  mail: Record<Spoken, { subject: string; text: string }> = LUNCH,
) => ({
  subject: say({ en: mail.en.subject, de: mail.de.subject }),
  text: say({ en: mail.en.text, de: mail.de.text }),
});

export const held: Kind['happens'] = async (office, say) => {
  await office.rig.answer({ ...BOB, ...request(say) });
  await office.work();
};

export const CLEAN_UP = {
  en: { subject: 'Clean up', text: 'Please delete the two old notes, we do not need them any more.' },
  de: { subject: 'Aufräumen', text: 'Bitte lösche die beiden alten Notizen, wir brauchen sie nicht mehr.' },
};
