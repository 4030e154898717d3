import { afterEach, expect, it } from 'vitest';
import { mailCall, type OwnWordsOffice, openOwnWords, TIM } from './rig.ts';

const open: { office?: OwnWordsOffice } = {};
afterEach(() => open.office?.close());

it('ten acts within an hour are the most, also of runs side by side whose calls all have one id', async () => {
  const office = await openOwnWords();
  open.office = office;
  const subjects = [1, 2, 3, 4, 5].map((n) => `Side by side ${n}`);
  for (const subject of subjects)
    office.script(
      subject,
      [1, 2, 3, 4].map((n) => ({ ...mailCall(TIM, { subject: `${subject}, mail ${n}` }), id: 'same' })),
    );
  const ids = await Promise.all(subjects.map((subject) => office.post({ subject, text: `Tell ${TIM}.` })));
  const settled = await Promise.all(ids.map((id) => office.settled(id)));
  const made = settled.flatMap(({ verdicts }) => verdicts.filter(({ verdict }) => verdict === 'allow'));
  expect(made).toHaveLength(10);
  const asked = settled.flatMap(({ verdicts }) => verdicts.filter(({ own }) => own?.why === 'often'));
  expect(asked).toHaveLength(10);
});

it('an edit is asked about once more where a rule asks by name', async () => {
  const office = await openOwnWords({ tool_policy: { tools: { send_email: 'approve' } } });
  open.office = office;
  await office.told('By name', `Tell ${TIM}.`, [mailCall(TIM, { subject: 'Draft' })]);
  await office.answer(await office.questionAbout('Subject: Draft'), 'edit 1\nsubject: Edited');
  await office.questionAbout('Subject: Edited');
  expect(await office.reached(TIM, 'Edited')).toBe(0);
});
