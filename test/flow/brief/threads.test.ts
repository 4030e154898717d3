import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Modelled, openModelled } from '../acceptance/office-with-model.ts';
import { ADA, MEMBER, OWNER } from '../governance-rig.ts';

// F15: "Who wrote today, and what is each waiting for?" took 20 of 65 results of a search, 18 of them of one conversation.

const CARL = 'carl@outside.example';
const OFFER = { to: [CARL], subject: 'Offer', body: 'What would the bench cost?' };
const rig: { made?: Modelled } = {};
beforeAll(async () => {
  rig.made = await openModelled(
    (turn, lastUser) => {
      if (turn > 0) return { text: 'Here it is.' };
      if (lastUser.includes('Who waits')) return { calls: [{ name: 'list_threads', arguments: { open: true } }] };
      if (lastUser.includes('Who wrote')) return { calls: [{ name: 'list_threads', arguments: {} }] };
      if (lastUser.includes('Ask Carl')) return { calls: [{ name: 'send_email', arguments: OFFER }] };
      return { text: 'Thank you.' };
    },
    { 'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: [MEMBER] } } },
  );
});
afterAll(() => rig.made?.close());

interface Told {
  readonly subject: string;
  readonly people: readonly string[];
  readonly last_by: string;
  readonly waits_for: string | null;
}

/** What the newest list said. */
const listed = (made: Modelled): readonly Told[] => {
  const results = made.model.requests.flatMap(({ view }) => view.results.map(({ content }) => content));
  return JSON.parse(results.findLast((content) => content.includes('"threads"')) ?? '{}').result.threads;
};

it('tells in one call who wrote, who has the last word and what each conversation waits for, as far as its asker may see', async () => {
  const made = rig.made as Modelled;
  const { office } = made;
  await office.post({ subject: 'Bench', text: 'Is the oak here?' });
  await office.arrival('reply', OWNER);
  await office.post({ from: MEMBER, subject: 'Order', text: 'Ask Carl for a price, please.' });
  const asked = await office.arrival('approval', OWNER);
  await office.post({ from: MEMBER, subject: 'Mine', text: 'Who waits for whom?' });
  await office.arrival('reply', MEMBER, 1);
  expect(listed(made).map(({ subject, waits_for }) => [subject, waits_for])).toEqual([
    ['Mine', 'your answer, which is being written'],
    ['Order', "an owner's approval"],
  ]);
  await office.answer(asked, 'yes');
  await office.arrival('reply', MEMBER, 2);
  await office.post({ subject: 'All', text: 'Who wrote today, and what is each waiting for?' });
  await office.arrival('reply', OWNER, 2);
  const all = new Map(listed(made).map(({ subject, ...thread }) => [subject.replace(/^Re: /, ''), thread]));
  expect([...all.keys()].toSorted()).toEqual(['All', 'Bench', 'Mine', 'Offer', 'Order']);
  expect(all.get('Bench')).toMatchObject({ people: [OWNER], last_by: 'you', waits_for: null });
  expect(all.get('Order')).toMatchObject({ people: [MEMBER], last_by: 'you', waits_for: null });
  expect(all.get('Offer')).toMatchObject({ people: [], last_by: 'you' });
  expect(all.get('Offer')?.waits_for).toBe(`an answer of ${CARL}, if your mail asked for one`);
  await office.post({ from: MEMBER, subject: 'Again', text: 'Who wrote to you?' });
  await office.arrival('reply', MEMBER, 3);
  expect(
    listed(made)
      .map(({ subject }) => subject.replace(/^Re: /, ''))
      .toSorted(),
  ).toEqual(['Again', 'Mine', 'Order']);
});
