import { expect, it } from 'vitest';
import { type AboutCall, readReply } from '../../../../engine/mail/approval/approval-answer.ts';
import { spelled } from '../../../../engine/mail/approval/spelling.ts';

const SENDS: AboutCall = { keys: ['to'], long: [], people: ['bob'], act: 'send' };
const kindOf = (text: string, language: string) => readReply(text, [1], () => SENDS, language, '', 'Ada').answer.kind;

it.each([
  ['en', 'yesss'],
  ['en', 'yesplease'],
  ['en', 'yes plaese'],
  ['de', 'Jaa bitte sneden'],
  ['de', 'genehmgit'],
  ['it', 'Perfetot 👍'],
  ['en', 'Thanks 👍'],
  ['en', 'Could you send it, please?'],
  ['de', 'Könntest du sie bitte senden?'],
  ['fr', 'Pourrais-tu l’envoyer s’il te plaît ?'],
  ['ja', 'はい、送っていただけますか？'],
  ['en', 'yes please Ada'],
  ['en', 'Ada, send it'],
  ['en', 'yed go ahead'],
  ['en', 'thats fine with me'],
  ['en', 'sorry, only just saw this. Yes please'],
  ['de', 'ja so abschicken punkt danke'],
  ['de', 'Jq mach das'],
  ['fr', 'Vas y envoie'],
  ['pl', 'tak tak, wyślij'],
  ['zh', '发吧发吧'],
])('%s: is a yes: %s', (language, text) => {
  expect(kindOf(text, language)).toBe('approve');
});

it.each([
  ['en', 'suuure'],
  ['en', 'Noted 👍'],
  ['en', 'Could you send it?'],
  ['en', 'Could you send it tomorrow, please?'],
  ['de', 'Ja, denke'],
  ['it', 'Sì, invita pure'],
  ['it', 'Lo mando'],
  ['tr', 'kabul edmiyorum'],
  ['en', 'please send Ada'],
  ['en', 'send it to Ada'],
  ['en', 'yes, not Ada'],
  ['en', 'yed'],
  ['en', 'ni go ahead'],
  ['en', 'ok google'],
  ['en', 'yes tell Bob it is 5 euros'],
  ['de', 'Ada nicht, ja'],
  ['pl', 'tak tak'],
  ['pl', 'no'],
])('%s: is none: %s', (language, text) => {
  expect(kindOf(text, language)).not.toBe('approve');
});

const DELETES: AboutCall = { keys: ['path'], long: [], act: 'delete' };
const ofBoth = (text: string, language: string, second = DELETES) =>
  readReply(text, [1, 2], (item) => (item === 1 ? SENDS : second), language).answer;

it.each([
  ['en', 'Send it and delete the old draft'],
  ['en', 'Yes, send the mail to Bob and bin the old draft'],
  ['de', 'Schick es ab und lösch den alten Entwurf'],
])('%s: says what each of two things is, and so is a yes to both: %s', (language, text) => {
  expect(ofBoth(text, language)).toEqual({ kind: 'approve', items: [1, 2] });
});

it.each([
  ['en', 'Send it'],
  ['en', 'Delete the old draft'],
  ['en', 'Send it, keep the old draft'],
  ['en', 'Send it and do not delete the draft'],
])('%s: says what one of them is, and is none: %s', (language, text) => {
  expect(ofBoth(text, language).kind).not.toBe('approve');
});

it('takes "send it and delete it" for no yes to two mails, nor to one', () => {
  expect(ofBoth('Send it and delete the draft', 'en', SENDS).kind).not.toBe('approve');
  expect(kindOf('Send it and delete the draft', 'en')).not.toBe('approve');
});

it('takes no word for another that is a doubt in any language, nor a verb for one with another letter', () => {
  expect(['waaait', 'denke', 'edmiyorum', 'invita'].map(spelled)).toEqual([['wait'], null, null, null]);
});
