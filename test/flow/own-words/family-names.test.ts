import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composed, mailCall, type OwnWordsOffice, openOwnWords } from './rig.ts';

let office: OwnWordsOffice;
beforeAll(async () => {
  office = await openOwnWords();
});
afterAll(() => office.close());

describe("a mail that an owner's own words ask for", () => {
  it.each([
    ['Konrad Ellerbusch', 'Bitte frag Herrn Ellerbusch vom Ellerhof, ob es um drei geht.', 'Herrn Ellerbusch'],
    ['Anna von der Weide', 'Schreib bitte Frau Dr. von der Weide. Sie steht in Kopie.', 'Frau Dr. von der Weide'],
    ['Roman Trzaska', 'Proszę poprosić pana Trzaskę (w kopii) o ofertę.', 'pana Trzaskę'],
    ['Halina Wierzba', 'Napisz do pani Wierzby, czy mogłoby być o trzeciej.', 'pani Wierzby'],
    ['Jan Kowalski', 'Napisz do pana Kowalskiego, proszę.', 'pana Kowalskiego'],
    ['Elena Tomadini', 'Scrivi alla dott.ssa Tomadini, per favore.', 'dott.ssa Tomadini'],
    ['Rosa Urrutia', 'Escribe a la Sra. Urrutia, por favor.', 'Sra. Urrutia'],
    ['庞国栋', '请抄送的庞师傅报个价。', '庞师傅'],
    ['小笹 真理', '小笹先生に三時と伝えてください。', '小笹先生'],
  ])('is sent to %s, whom it went to and names by the family name', async (name, text, word) => {
    const to = `p${[...name].map((sign) => sign.codePointAt(0)).join('')}@elsewhere.example`;
    const subject = `Family ${to}`;
    const mail = await composed({ cc: { name, address: to }, subject, text });
    const { verdicts } = await office.toldRaw(subject, mail, [mailCall(to, { subject })]);
    expect(verdicts).toMatchObject([{ verdict: 'allow', by: 'own words', own: { kind: 'mail', words: [word] } }]);
    await office.arrives(to, subject);
  });
});
