import { afterEach, expect, it } from 'vitest';
import { CARL, MEMBER, OWNER } from '../governance-rig.ts';
import { recordOf } from './explain-rig.ts';
import { type Modelled, openModelled, type Says } from './office-with-model.ts';

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const CALLS = [
  { name: 'read_file', arguments: { path: 'price.txt' } },
  { name: 'send_email', arguments: { to: [CARL], subject: 'Price', body: 'Dear Carl' } },
];
const ANSWER = {
  text: 'The price is 20 EUR [1], and Carl has it.',
  figures: [{ shown: '20 EUR', from: 'price.txt' }],
};

it('A-10: a file of the persona that changes while its run waits is said to have changed, below the answer that rests on it', async () => {
  const made = await openModelled((turn) =>
    turn === 0 ? { calls: CALLS } : { calls: [{ name: 'answer', arguments: ANSWER }] },
  );
  open.made = made;
  made.put('price.txt', 'The price is 20 EUR.\n');
  const asked = await made.office.ask('What is the price? Please write it to Carl.');
  const notice = await made.office.arrival('approval', OWNER);
  made.put('price.txt', 'The price is 25 EUR.\n');
  await made.office.answer(notice, 'approve');
  const reply = await made.office.arrival('reply', MEMBER);
  expect(reply.mail.text).toContain(ANSWER.text);
  expect(reply.mail.text).toMatch(
    /\[1\] price\.txt – was changed after I had looked it up, so this may no longer be right/,
  );
  const run = { id: asked.json.results[0].run_id as string };
  const { events } = recordOf(made, run);
  const decided = events.filter(({ type }) => type === 'decision').at(-1);
  expect(decided?.data).toMatchObject({ limitations: [{ kind: 'drifted', source: 'price.txt' }] });
  expect((await made.office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
});

const READ = { calls: [{ name: 'read_file', arguments: { path: 'price.txt' } }] };
const LINE = 'Something that I looked up for this was changed before this mail left';

/** Somebody else puts the new price there while the model writes its first answer. */
async function askedMeanwhile(says: Says) {
  const made = await openModelled((turn, lastUser, results) => {
    if (turn === 1) made.put('price.txt', 'The price is 25 EUR.\n');
    return says(turn, lastUser, results);
  });
  open.made = made;
  made.put('price.txt', 'The price is 20 EUR.\n');
  const asked = await made.office.ask('What is the price?');
  const run = asked.json.results[0].run_id as string;
  const { mail } = await made.office.arrival('reply', MEMBER);
  expect((await made.office.cli('runs', 'replay', run)).json.replay).toMatchObject({ identical: true });
  return {
    made,
    text: mail.text,
    decisions: recordOf(made, { id: run }).events.filter(({ type }) => type === 'decision'),
  };
}

it('looks again at what others have changed before its answer leaves', async () => {
  const told: string[] = [];
  const { text, decisions } = await askedMeanwhile((turn, lastUser, results) => {
    if (turn === 0 || turn === 2) {
      told.push(lastUser, ...results);
      return READ;
    }
    const price = turn === 1 ? '20' : '25';
    const figures = [{ shown: `${price} EUR`, from: turn === 1 ? 't1' : 't3' }];
    return { calls: [{ name: 'answer', arguments: { text: `The price is ${price} EUR [1].`, figures } }] };
  });
  expect(text).toContain('The price is 25 EUR [1].');
  expect(text).toContain('[1] price.txt\n');
  expect(text).not.toContain('20 EUR');
  expect(told.join('\n')).toContain('\\"price.txt\\" (t1) has changed since you looked at it.');
  expect(decisions.filter(({ data }) => data.about)).toMatchObject([{ data: { reason: 'gap', about: ['changed'] } }]);
});

it('does so for words that declare nothing', async () => {
  const { text } = await askedMeanwhile((turn) =>
    turn === 0 || turn === 2 ? READ : { text: `The price is ${turn === 1 ? '20' : '25'} EUR.` },
  );
  expect(text).toContain('The price is 25 EUR.');
  expect(text).not.toContain(LINE);
});

it('asks once, and says plainly below an answer that stays what it was that it may no longer be right', async () => {
  const { text, decisions } = await askedMeanwhile((turn) => (turn === 0 ? READ : { text: 'The price is 20 EUR.' }));
  expect(text).toContain('The price is 20 EUR.');
  expect(text).toContain(LINE);
  expect(decisions.filter(({ data }) => data.about)).toHaveLength(1);
  expect(decisions.at(-1)?.data).toMatchObject({ reason: 'answered', changed: true });
});

it('knows what it has changed itself', async () => {
  const made = await openModelled((turn) => {
    const own = { path: 'own.txt' };
    const turns = [
      { calls: [{ name: 'write_file', arguments: { ...own, content: 'It is 20 EUR.' } }] },
      { calls: [{ name: 'read_file', arguments: own }] },
      { calls: [{ name: 'edit_file', arguments: { ...own, old_text: '20', new_text: '25' } }] },
    ];
    return turns[turn] ?? { text: 'It was 20 EUR, and is 25 EUR now.' };
  });
  open.made = made;
  const asked = await made.office.ask('Please note the price, 20 EUR, and then 25 EUR.', OWNER);
  const { mail } = await made.office.arrival('reply', OWNER);
  expect(made.read('own.txt')).toBe('It is 25 EUR.');
  expect(mail.text).toContain('It was 20 EUR');
  expect(mail.text).not.toContain(LINE);
  const { events } = recordOf(made, { id: asked.json.results[0].run_id as string });
  expect(events.filter(({ type, data }) => type === 'decision' && data.about)).toEqual([]);
});
