import { afterEach, describe, expect, it } from 'vitest';
import { say } from '../../engine/languages/say.ts';
import { openModelled } from './acceptance/office-with-model.ts';
import { ADA, MEMBER } from './governance-rig.ts';

// A question of the persona's own is put to its owner in the owner's language, whatever the mail is written in that it is about.

const OLGA = 'olga@owner.example';
const open: { close?: () => Promise<void> } = {};
afterEach(() => open.close?.());

const MAILS = {
  fr: 'Bonjour, pourriez-vous me dire si la livraison de samedi est possible, et à quelle heure elle pourrait se faire ?',
  ja: 'こんにちは。土曜日の配達は可能でしょうか。何時ごろになるか教えていただけますか。よろしくお願いします。',
  de: 'Guten Tag, können Sie mir bitte sagen, ob die Lieferung am Samstag möglich ist, und wann sie etwa käme?',
} as const;

const askedBy = async (owner: object | string, text: string) => {
  const made = await openModelled(
    (turn) =>
      turn === 0 ? { calls: [{ name: 'ask_owner', arguments: { question: 'Samstag um zehn?' } }] } : { text: 'Merci.' },
    {
      'configs/security.json': { owners: [owner], approvals: { batch_window_s: 0 } },
      'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: ['*@member.example'] } },
    },
  );
  open.close = made.close;
  await made.office.ask(text, MEMBER, 'Livraison');
  const { mail } = await made.office.arrival('clarify', OLGA);
  await made.close();
  return mail;
};

describe('a question of the persona to a German owner', () => {
  it.each(Object.entries(MAILS))('is German around a mail in %s', async (_, text) => {
    const mail = await askedBy({ address: OLGA, language: 'de' }, text);
    expect(mail.subject).toBe(say('de', 'mails.hasQuestion', { name: 'Ada' }));
    expect(mail.text?.replaceAll(/\s+/g, ' ')).toContain(say('de', 'mails.howQuestion').replaceAll(/\s+/g, ' '));
    expect(mail.text).toContain(`${say('de', 'mails.reference')}: ok-`);
    expect(mail.text).toContain('Samstag um zehn?');
  });

  it('control: is in another language where the owner reads that', async () => {
    const mail = await askedBy({ address: OLGA, language: 'fr' }, MAILS.de);
    expect(mail.subject).toBe(say('fr', 'mails.hasQuestion', { name: 'Ada' }));
  });
});
