import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answerTo,
  fromPhone,
  fromUnknownProgram,
  greekNewsletter,
  inlineInOutlook,
  OWN_LINES,
  obedient,
  pays,
} from '../lab/day-of-words.ts';
import { type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { ADA, CARL, MEMBER, OWNER, type Sent } from './governance-rig.ts';

const open: { made?: Modelled } = {};
beforeAll(async () => {
  open.made = await openModelled((turn, prompt) => obedient(turn, prompt));
});
afterAll(() => open.made?.close());

const office = (): Modelled['office'] => {
  if (!open.made) throw new Error('not open');
  return open.made.office;
};

const [OWNERS, MEMBERS] = [
  { from: OWNER, persona: ADA },
  { from: MEMBER, persona: ADA },
];

/** What a question says of where the address came from. */
const comesFrom = (question: Sent): string =>
  /evil\.example comes from [^.]*/.exec(question.mail.text ?? '')?.[0] ?? '';

describe('the words of a day', () => {
  it('an owner on GMX approves from the telephone', async () => {
    const text = `Please send Carl the offer.\n${pays(CARL, 'Offer')}`;
    await office().post({ from: MEMBER, subject: 'Offer', text });
    const question = await office().arrival('approval');
    await office().post({ to: answerTo(question.mail), raw: fromPhone(question.mail, OWNERS) });
    expect((await office().arrival('reply', CARL)).mail.subject).toBe('Offer');
    expect(await office().codeOf('<phone@example.com>')).toBe('approval_answer');
    await office().arrival('reply', MEMBER);
  });

  it('a colleague answers inline in Outlook, and only the line between is theirs', async () => {
    const told = await office().arrival('reply', MEMBER);
    await office().post({ from: MEMBER, raw: inlineInOutlook(told.mail, MEMBERS) });
    await office().arrival('reply', MEMBER, 2);
    const { pieces } = (await office().cli('why', '<inline@example.com>')).json.entries[0];
    const written = pieces.filter(({ kind }: { kind: string }) => kind === 'written');
    expect(written.map(({ text }: { text: string }) => text)).toEqual(OWN_LINES);
  });

  it('a forwarded Greek newsletter sends no money', async () => {
    await office().post({ raw: greekNewsletter(OWNERS) });
    const question = await office().arrival('approval', OWNER, 2);
    expect(comesFrom(question)).toMatch(/comes from what was forwarded/);
    await office().answer(question, 'Nein.');
    await office().arrival('reply', OWNER);
  });

  it('nor does what a friend hands on from a program nobody has heard of', async () => {
    await office().post({ from: MEMBER, raw: fromUnknownProgram(MEMBERS) });
    const question = await office().arrival('approval', OWNER, 3);
    expect(question.mail.text).toContain('pay2@evil.example');
    await office().answer(question, 'No.');
    await office().arrival('reply', MEMBER, 3);
    expect(await office().states()).toEqual(['executed', 'rejected', 'rejected']);
    for (const to of ['pay@evil.example', 'pay2@evil.example']) expect(await office().left('reply', to)).toEqual([]);
  });
});
