import { expect, it } from 'vitest';
import { type AnswerToItems, readAnswer, readReply } from '../../../engine/mail/approval/approval-answer.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import { type EverydayAnswer, everydayAnswers } from '../../corpus/everyday-answers.ts';
import { LIMITS } from './limits.ts';

const HEADERS = 'From: maria@example.com\r\nTo: ada@example.com\r\nContent-Type: text/plain; charset=utf-8';

async function readOf({ text, of }: EverydayAnswer): Promise<AnswerToItems> {
  const outcome = await readMail(Buffer.from(`${HEADERS}\r\n\r\n${text}`), LIMITS);
  if (!outcome.ok) throw new Error('not read');
  return readAnswer(
    outcome.mail.newText,
    Array.from({ length: of }, (_, index) => index + 1),
  );
}

const read = await Promise.all(everydayAnswers.map(async (one) => ({ one, answer: await readOf(one) })));
const approvedBy = (answer: AnswerToItems): number => {
  if (answer.kind === 'mixed') return answer.approve.length;
  return answer.kind === 'approve' ? answer.items.length : 0;
};
const MEANT = { yes: ['approve'], no: ['deny'], mixed: ['mixed'], ask: ['ambiguous', 'none', 'deny'] };
const mostOf = ({ verdict, of }: EverydayAnswer): number => (verdict === 'yes' ? of : verdict === 'mixed' ? 1 : 0);

it('short answers from telephones never let through what was not meant', () => {
  expect(read.length).toBeGreaterThanOrEqual(390);
  expect(read.filter(({ one, answer }) => approvedBy(answer) > mostOf(one))).toEqual([]);
});

it('a yes is never read as a no, nor a no as a yes', () => {
  const turned = { yes: 'deny', no: 'approve', mixed: 'none', ask: 'approve' };
  expect(read.filter(({ one, answer }) => answer.kind === turned[one.verdict])).toEqual([]);
});

it('are understood in most cases; praise alone, a bare verb and both verbs in one line are asked about', () => {
  const clear = read.filter(({ one }) => one.verdict !== 'ask');
  const understood = clear.filter(({ one, answer }) => MEANT[one.verdict].includes(answer.kind));
  process.stdout.write(`${JSON.stringify({ clear: clear.length, understood: understood.length })}\n`);
  expect(understood.length / clear.length).toBeGreaterThan(0.66);
});

it.each(['Tak, oczywiście', 'Geht in Ordnung', 'Ja, kann raus', 'De acordo', 'Claro que sim', 'いいですよ'])(
  'is a yes: %s',
  async (text) => {
    expect((await readOf({ language: '', verdict: 'yes', of: 1, text })).kind).toBe('approve');
  },
);

it.each([
  'Tak',
  'Oczywiście, że nie',
  'Oczywiście nie',
  'いいですよね？',
  'Kann raus, sobald der Preis stimmt',
  'De acordo?',
  'Não estou de acordo',
  'Yes, please.\n\nRegards,\nMarie prima',
  'だめです',
])('is none: %s', async (text) => {
  expect((await readOf({ language: '', verdict: 'no', of: 1, text })).kind).not.toBe('approve');
});

/** To a question about a mail: a clear yes, and behind it nothing but that the same is to be done. */
const SAME_AGAIN = {
  de: ['Ja, passt so, bitte schick es raus.', 'Ja, schick die Mail raus.', 'Ok, passt für mich, bitte verschicken.'],
  en: ['Yes, send it off.', 'Yes, go ahead and send it.', 'Yes, that is fine, please go ahead.'],
  fr: ['Oui, ça me convient, allez-y.', 'Oui, merci de l’envoyer.'],
  es: ['Sí, así está bien, envíalo.', 'Sí, perfecto, puedes enviarlo.'],
  it: ['Sì, perfetto, puoi inviarlo.', 'Sì, va bene, lo mandi pure.'],
  nl: ['Ja, is goed zo, stuur het maar.', 'Ja, goed zo, graag versturen.'],
  pt: ['Sim, está bem assim, pode enviar.', 'Sim, perfeito, envie por favor.'],
  pl: ['Tak, może być, proszę wysłać.', 'Tak, wyślij to.', 'Tak, śmiało.'],
  ja: ['はい、それで結構です。送信してください。'],
  zh: ['可以，请发出去。', '好，发吧。'],
};

/** The same words with something that changes what they say: a not, a condition, a day, an hour, an amount, somebody else. */
const NOT_THE_SAME = {
  de: [
    ...['Ja, passt so nicht.', 'Ja, passt mir nicht.', 'Ja, schick es nicht raus.', 'Ja, schick es ab Montag raus.'],
    ...['Ja, bitte schick es um 9 raus.', 'Ja, passt so, 90 statt 80 Euro.', 'Ja, schick es raus an Bob.', 'Raus.'],
    ...[
      'Ja, passt so, bitte schick es raus, wenn Carl zusagt.',
      'Passt so nicht, schick es ab und an.',
      'Ja, lösch es ab.',
    ],
    ...[
      'Ja, passt so, schick es ihm raus.',
      'Ja, schick es raus?',
      'Ja, bitte schick es noch raus.',
      'Passt für mich.',
    ],
  ],
  en: [
    ...[
      'Yes, send it out tomorrow.',
      'Yes, go ahead and send 2 copies.',
      'Yes, go ahead and delete it.',
      'Yes, call it off.',
    ],
    ...['Yes, send it off if he agrees.', 'Yes, send it off to Bob.', 'Yes, go ahead and send it after lunch.'],
  ],
  fr: ['Oui, ça ne me convient pas.', 'Oui, merci de l’envoyer à Marie.', 'Oui, vous pouvez l’envoyer demain.'],
  es: ['Sí, así no está bien.', 'Sí, así está bien, pero sin precio.', 'Sí, puedes enviarlo el lunes.'],
  it: [
    'Sì, così non va bene.',
    'Sì, lo invii a Carlo.',
    'Sì, puoi inviarlo se Marco è d’accordo.',
    'Sì, lo mandi domani.',
  ],
  nl: [
    'Ja, stuur het maar niet.',
    'Ja, niet goed zo.',
    'Ja, is goed zo, maar zonder prijs.',
    'Ja, stuur het maar morgen.',
  ],
  pt: ['Sim, não está bem assim.', 'Sim, pode enviá-lo amanhã.', 'Sim, assim está bem, mas sem preço.'],
  pl: [
    'Tak, nie może być.',
    'Tak, może być jutro.',
    'Tak, wyślij to Carlowi.',
    'Może być.',
    'Tak, możesz wysłać w piątek.',
  ],
  ja: ['はい、それで結構です。明日送ってください。', 'はい、結構です。送らないでください。'],
  zh: ['好，发吧，但是不要发给李先生。', '不是的，就这样，别发。'],
};

const readAbout = (text: string, language: string) =>
  readReply(text, [1], () => ({ keys: [], long: [], act: 'send' }), language).answer.kind;
const casesOf = (cases: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(cases).flatMap(([language, texts]) => texts.map((text) => [language, text] as const));

it.each(casesOf(SAME_AGAIN))('%s: a yes that says once more what is to be done is one: %s', (language, text) => {
  expect(readAbout(text, language)).toBe('approve');
});

it.each(casesOf(NOT_THE_SAME))('%s: a yes with more than that is asked about: %s', (language, text) => {
  expect(['ambiguous', 'none', 'deny']).toContain(readAbout(text, language));
});
