import { expect, it } from 'vitest';
import { isExplicitYes } from '../../../../engine/mail/approval/explicit-yes.ts';

// Below news that offer something: only a word that says yes is one.

it.each([
  ['en', 'Ok, thanks'],
  ['en', 'Okay. Thank you!'],
  ['de', 'Danke, ok'],
  ['de', 'ok danke'],
  ['fr', 'ok merci'],
  ['fr', 'D’accord, merci beaucoup'],
  ['es', 'Vale, gracias'],
  ['it', 'Va bene, grazie'],
  ['nl', 'Oké, bedankt'],
  ['pt', 'Ok, obrigada'],
  ['pl', 'Ok, dzięki'],
  ['tr', 'Tamam, teşekkürler'],
  ['zh', '好的，谢谢'],
  ['ar', 'تمام شكرا'],
])('%s: is none: %s', (language, text) => {
  expect(isExplicitYes(text, language)).toBe(false);
});

it.each([
  ['en', 'Yes, thanks'],
  ['en', 'Ok, please do'],
  ['de', 'Ja, danke'],
  ['fr', 'Oui merci'],
  ['es', 'Sí, gracias'],
  ['it', 'Sì, grazie'],
  ['nl', 'Ja graag'],
  ['pt', 'Sim, obrigado'],
  ['pl', 'Tak, proszę'],
  ['tr', 'Evet, teşekkürler'],
  ['ja', 'はい、お願いします'],
  ['zh', '同意，谢谢'],
  ['ar', 'نعم شكرا'],
])('%s: is one: %s', (language, text) => {
  expect(isExplicitYes(text, language)).toBe(true);
});
