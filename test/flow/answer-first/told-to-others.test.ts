import { afterAll, beforeAll, expect, it } from 'vitest';
import { atRest } from '../at-rest.ts';
import { ADA, CARL, MEMBER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { type AnswerFirst, BOB, mailCall, openAnswerFirst } from './rig.ts';

let office: AnswerFirst;
beforeAll(async () => {
  office = await openAnswerFirst({
    'personas/ada/persona.json': {
      name: 'Ada',
      address: ADA,
      access: { allow: [MEMBER] },
      reply: { recipients: 'all' },
    },
  });
});
afterAll(() => office.close());

/** What its sender was mailed about it, once it is decided and that is carried out. */
async function mailsAbout(messageId: string, to: string): Promise<readonly string[]> {
  await onceRecorded(office.root, () =>
    expect(office.runsOf(messageId).map(({ status }) => status)).toEqual(['done', 'done']),
  );
  await atRest(office.root);
  expect(await office.replays(messageId)).toEqual([]);
  return (await office.left('reply', to)).flatMap(({ mail }) =>
    mail.inReplyTo === messageId ? [mail.text?.split('\n-- ')[0]?.trim() ?? ''] : [],
  );
}

it('whoever asked and is no owner hears what became of it, and no word of the owner', async () => {
  const text = 'The heating is broken again.';
  for (const [subject, answer, names, told] of [
    [
      'Offer A',
      'no, I have called him',
      true,
      `is not going to be done.\n\nNot done: mail to ${BOB} "Offer A" (the owner said no)`,
    ],
    [
      'Offer B',
      'no, I have called him',
      false,
      'is not going to be done.\n\nNot done: mail to somebody else (the owner said no)',
    ],
    ['Offer C', 'yes', true, `is done now.\n\nDone: mail to ${BOB} "Offer C"`],
    ['Offer D', 'yes', false, 'is done now.\n\nDone: mail to somebody else'],
  ] as const) {
    const mail = { from: MEMBER, text: names ? `${subject} for ${BOB}. ${text}` : `${subject}. ${text}` };
    const { messageId } = await office.asks(subject, [[mailCall(subject)], 'Thank you.'], mail);
    await office.answer(await office.questionAbout(subject), answer);
    const [first, second, ...more] = await mailsAbout(messageId, MEMBER);
    expect(more).toEqual([]);
    expect(first).toContain('Waiting: mail to');
    expect(second?.split('\nShortened')[0]).toBe(`What was still open about your mail ${told}`);
  }
});

it('whoever may not know to whom several mails go reads once that they wait, and how many', async () => {
  const three = ['Plan 1', 'Plan 2', 'Plan 3'].map((subject) => mailCall(subject));
  const { messageId } = await office.asks('Plans', [three, 'They are written.'], {
    from: MEMBER,
    text: 'Please tell all of them.',
  });
  const [told] = (await office.left('reply', MEMBER)).filter(({ mail }) => mail.inReplyTo === messageId);
  expect(told?.mail.text).toMatch(/^Waiting: mail to somebody else \([^)]*\) ×3$/m);
  expect(await office.replays(messageId)).toEqual([]);
});

it('where people outside read along, who were never told that something waits, nobody is told what became of it', async () => {
  for (const [subject, answer] of [
    ['Offer E', 'no, I have called him'],
    ['Offer F', 'yes'],
  ] as const) {
    const mail = { from: MEMBER, cc: [CARL], text: `${subject}. The heating is broken again.` };
    const { messageId } = await office.asks(subject, [[mailCall(subject)], 'Thank you.'], mail);
    await office.answer(await office.questionAbout(subject), answer);
    expect(await mailsAbout(messageId, CARL)).toEqual(['Thank you.']);
    expect(office.answersTo(messageId).map(({ purpose }) => purpose)).toEqual(['final']);
  }
});
