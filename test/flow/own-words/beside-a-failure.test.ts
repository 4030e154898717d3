import { afterEach, expect, it } from 'vitest';
import { LENA, mailCall, type OwnWordsOffice, openOwnWords, TIM } from './rig.ts';

// Of the calls of one turn those are made that have nothing to do with one that failed.

const open: { office?: OwnWordsOffice } = {};
afterEach(() => open.office?.close());

const remember = { name: 'remember_rule', arguments: { quote: 'no such words in it' } };
const edit = (path: string) => ({ name: 'edit_file', arguments: { path, old_text: 'one', new_text: 'two' } });

it('a mail is sent beside something that cannot be kept, and not one that takes along what could not be made', async () => {
  const office = await openOwnWords({}, { 'data/personas/ada/files/plan.md': 'three' });
  open.office = office;
  const alone = await office.told('Alone', `Write to ${TIM} that we meet at three.`, [remember, mailCall(TIM)]);
  expect(office.codesOf(alone.run.id)).toEqual(['invalid_arguments']);
  await office.arrives(TIM, 'Tomorrow');

  const built = await office.told('Built on it', `Send plan.md to ${TIM}, and write to ${LENA}.`, [
    edit('plan.md'),
    mailCall(TIM, { subject: 'The plan', attachments: ['plan.md'] }),
    mailCall(TIM, { subject: 'Of the plan', body: 'What stands in ./plan.md is new.' }),
    mailCall(LENA, { subject: 'Something else' }),
  ]);
  expect(office.codesOf(built.run.id)).toEqual(['invalid_arguments', 'skipped', 'skipped']);
  await office.arrives(LENA, 'Something else');
  expect(await office.reached(TIM, 'The plan')).toBe(0);
  expect(await office.reached(TIM, 'Of the plan')).toBe(0);
  for (const { run } of [alone, built])
    expect((await office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
});
