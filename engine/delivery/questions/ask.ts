import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { dayAndTime, type ReaderLocale } from '../../languages/times.ts';
import type { Block, Button } from '../../mail/compose/compose.ts';

// The parts that every question to an owner ends with.

/** The address that takes answers to the notice of a token. */
export const answerAddress = (persona: Pick<Persona, 'address'>, token: string): string =>
  persona.address.replace('@', `+ok-${token}@`);

type Choice = Pick<Button, 'label' | 'tone'> & { readonly body: string };

/** A row of buttons, each of which writes an answer to this notice. */
export const choices = (to: string, subject: string, all: readonly Choice[]): Extract<Block, { kind: 'buttons' }> => ({
  kind: 'buttons',
  buttons: all.map(({ label, tone, body }) => ({ label, tone, mail: { to, subject: `Re: ${subject}`, body } })),
});

/** Until when, when again, and the token for those whose program loses the address. */
export function closing(
  { until, remindAt, token, tapping }: { until: number; remindAt: number | null; token: string; tapping: boolean },
  place: ReaderLocale,
): Block[] {
  const reminder =
    remindAt === null || remindAt >= until
      ? []
      : [say(place.language, 'mails.remindedOn', { when: dayAndTime(remindAt, place) })];
  return [
    {
      kind: 'text',
      text: [say(place.language, 'mails.nothingUntil', { when: dayAndTime(until, place) }), ...reminder].join(' '),
    },
    reference(token, place.language, tapping),
  ];
}

/** What a button does, where there are any, and the token. */
export function reference(token: string, language: Language, tapping: boolean): Block {
  const line = `${say(language, 'mails.reference')}: ok-${token}`;
  return { kind: 'small', text: tapping ? `${say(language, 'mails.tapping')}\n${line}` : line, plain: line };
}

export const remindAtOf = (approvals: { reminder_hours: number }, now: number): number | null =>
  approvals.reminder_hours === 0 ? null : now + approvals.reminder_hours * 3_600_000;
