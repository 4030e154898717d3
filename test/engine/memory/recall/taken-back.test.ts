import { afterAll, expect, it } from 'vitest';
import { createMailFinder } from '../../../../engine/tools/capabilities/mail.ts';
import { factRow } from '../../../storage/fact-worlds.ts';
import { makeRig, type Rig } from '../../harness/rig.ts';

const open: { rig?: Rig } = {};
afterAll(() => open.rig?.close());

const MIA = { from: 'mia@member.example', subject: 'Falkenau' };
const TOLD = 'I booked rooms at the Golden Swan in Falkenau, and a table for Tuesday.';

it('recalls no mail of which something was forgotten, nor its answer, and finds both for whoever looks for them', async () => {
  const said = ['Swan in Falkenau: two rooms, noted.'];
  const rig = await makeRig({
    models: () => ({ text: said.shift() ?? 'Noted.' }),
    persona: { memory: { recall: true } },
  });
  open.rig = rig;
  const { run } = await rig.answer({ ...MIA, id: '<m1@member.example>', text: TOLD });
  rig.time.now += 7_200_000;
  await rig.answer({ ...MIA, subject: 'Train', text: 'The train to Falkenau leaves at 9.' });
  rig.time.now += 7_200_000;
  let asked = 0;
  const shown = async (): Promise<string> => {
    asked += 1;
    await rig.answer({ ...MIA, subject: `Hotel ${asked}`, text: `Which hotel did I book in Falkenau? (${asked})` });
    return JSON.stringify(rig.requests.at(-1)?.messages);
  };
  const fact = factRow('f-swan', { source_message: run.message, thread_id: run.thread_id, said_by: MIA.from });
  await rig.withStore((store) => store.changeFacts([{ change: 'add', fact, replaces: null }]));
  const before = await shown();
  expect(before).toContain(TOLD);
  expect(before).toContain('Swan in Falkenau: two rooms');

  await rig.withStore((store) => store.changeFacts([{ change: 'forget', id: fact.id }]));
  const after = await shown();
  expect(after).toContain('The train to Falkenau leaves at 9.');
  expect(after).not.toMatch(/Golden Swan|two rooms/);
  const { messages } = await rig.withStore((store) =>
    createMailFinder({ store, viewer: null, current: null, timezone: 'UTC' })({ query: 'Golden Swan', limit: 5 }),
  );
  expect(messages.map(({ message_id: id }) => id)).toContain('<m1@member.example>');
});
