import { expect, it } from 'vitest';
import { type AboutCall, readReply } from '../../../../engine/mail/approval/approval-answer.ts';

const SENDS: AboutCall = { keys: ['to'], long: [], people: ['bob'], act: 'send' };
const DELETES: AboutCall = { keys: ['path'], long: [], act: 'delete' };
const read = (text: string, language: string, items: readonly number[] = [1]) =>
  readReply(text, items, (item) => (item === 1 ? SENDS : DELETES), language, '', 'Ada').answer;

it.each([
  ['en', "yes, he's been waiting all week"],
  ['en', 'He already asked twice so yes send it'],
  ['en', 'Yes I read it and its fine send it'],
  ['en', 'send it today please'],
  ['en', 'yes ada send it'],
  ['de', 'ja bitte, der Bob hat schon zweimal gefragt'],
  ['de', 'Hab ich gelesen, passt. Schick ab.'],
  ['de', 'Ja bitte heute noch raus'],
  ['fr', "oui j'ai relu c'est bon"],
  ['it', "sì, l'ho letta e va bene"],
  ['pl', 'przeczytałam, wyślij'],
  ['pt', 'sim, já li, manda'],
  ['tr', 'evet okudum gayet iyi'],
  ['zh', '看过了，发吧'],
] as const)('%s: is a yes, whatever is told beside it: %s', (language, text) => {
  expect(read(text, language)).toEqual({ kind: 'approve', items: [1] });
});

it.each([
  ['en', "yes, he says it's wrong"],
  ['en', 'yes, he must agree'],
  ['en', 'yes, my lawyer looks over it'],
  ['en', 'yes, his name is Robert'],
  ['en', 'yes I saw that'],
  ['en', 'yes send it back'],
  ['en', 'yes, the new'],
  ['en', 'yes, our client'],
  ['en', 'yes send our client'],
  ['en', "yes, it's done"],
  ['en', 'yes, I called him'],
  ['en', 'yes, he knows already'],
  ['en', "yes, it's too late"],
  ['en', 'yes who asked'],
  ['de', 'ja, ich hab telefoniert'],
  ['fr', "oui, je l'ai appelé"],
  ['it', "sì, gliel'ho già detto"],
  ['en', 'I read it'],
  ['en', 'ok, I read it'],
  ['en', 'he is waiting'],
  ['en', "ok I'm in a meeting"],
  ['en', 'yes today at 5'],
  ['en', 'yes later today'],
  ['en', 'yes, today'],
  ['en', 'please send Ada'],
  ['en', 'yes to ada'],
  ['en', 'yes and remind me before it goes out'],
  ['en', 'yes and let me know before you send it'],
  ['de', 'ja, er muss zustimmen'],
  ['de', 'ja, gestern'],
  ['de', 'ja, hab ich gesehen'],
  ['es', 'sí, en la tarde'],
  ['pt', 'Sim, eu vi isso ontem'],
  ['tr', 'Evet gördüm'],
] as const)('%s: is no yes by what is told: %s', (language, text) => {
  expect(read(text, language).kind).not.toBe('approve');
});

it.each([
  ['en', 'no she comes today at 10, I look at him myself before I go'],
  ['en', 'No he called me already'],
  ['en', "no it's too early for that"],
  ['en', "Nah he's on holiday until monday"],
  ['en', 'nope, changed my mind'],
  ['en', "hold on no, dont send it. I'll call him"],
  ['en', 'cancel'],
  ['en', '👎'],
  ['en', 'no 👎'],
  ['de', 'nein er kommt heute um 10 vorbei'],
  ['de', 'Nein das machen wir anders'],
  ['es', 'noo espera, no lo mandes'],
  ['fr', "non il vient aujourd'hui à 10h"],
  ['it', 'no viene oggi alle 10'],
  ['nl', 'nee hij komt vandaag om 10 uur'],
  ['pl', 'nie on przychodzi dzisiaj o 10'],
  ['pt', 'não ele vem hoje às 10'],
  ['tr', "hayır bugün 10'da geliyor"],
  ['ar', 'لا هو جاي اليوم الساعة 10'],
  ['ja', '今日はやめて'],
  ['zh', '取消'],
] as const)('%s: is a no with its reason: %s', (language, text) => {
  expect(read(text, language).kind).toBe('deny');
});

it.each([
  ['en', 'no idea'],
  ['en', 'no it looks good'],
  ['en', 'no, but send it'],
  ['en', 'no, unless he asks'],
  ['en', 'no wait yes'],
  ['en', "Don't send the first one, but the second is ok"],
  ['en', 'yes 👎'],
] as const)('%s: is no surely a no: %s', (language, text) => {
  expect(read(text, language, [1, 2]).kind).toBe('ambiguous');
});

it.each([
  ['en', '1 yes 2 no'],
  ['en', '1 yes, 2 no, he has it'],
  ['de', '1 ja, 2 nein'],
  ['es', '1 si 2 no gracias'],
  ['fr', '1 oui\n2 non'],
  ['tr', '1 evet 2 hayır'],
  ['ar', '1 نعم 2 لا'],
  ['zh', '1可以，2不行'],
] as const)('%s: is a yes to one and a no to the other: %s', (language, text) => {
  expect(read(text, language, [1, 2])).toMatchObject({ kind: 'mixed', approve: [1], deny: [2] });
});

it.each([
  ['en', '1 yes 2 no', [1, 2, 3]],
  ['en', 'no 1 yes 2', [1, 2]],
  ['en', '1 yes, 2 no, but 1 only if Carol agrees', [1, 2]],
  ['en', '1 yes, 2 no because 1 is wrong', [1, 2]],
  ['en', '1 no yes 2', [1, 2]],
  ['en', 'all three, please', [1, 2]],
] as const)('%s: says too little, or too much, of the numbers: %s', (language, text, items) => {
  expect(['ambiguous', 'none']).toContain(read(text, language, items).kind);
});

it('takes all three for all where there are three', () => {
  expect(read('yes to all three', 'en', [1, 2, 3])).toEqual({ kind: 'approve', items: [1, 2, 3] });
});
