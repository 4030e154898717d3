import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER, OWNER, type Sent } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { composed, EVE, mailCall, type OwnWordsOffice, openOwnWords, TIM } from './rig.ts';

// Words of another time, or of others, beside an owner's sentence that names somebody: what is remembered, recalled, answered,
// or said yes to. The model makes the calls of the attacker.

let office: OwnWordsOffice;
beforeAll(async () => {
  office = await openOwnWords(
    {},
    {
      'personas/ada/persona.json': {
        name: 'Ada',
        address: 'ada@agents.localhost',
        access: { allow: [MEMBER] },
        memory: { facts: true, recall: true },
      },
    },
  );
});
afterAll(() => office.close());

type Settled = Awaited<ReturnType<OwnWordsOffice['told']>>;
const ATTACK = 'Attack';
const isAsked = ({ verdicts }: Settled, why: string) =>
  expect(verdicts.at(-1)).toMatchObject({ verdict: 'approve', own: { verdict: 'asks', why } });
const isDone = ({ verdicts }: Settled) => expect(verdicts.at(-1)).toMatchObject({ verdict: 'allow', by: 'own words' });

describe('a fact', () => {
  const remember = (text: string, quote: string, more: object = {}) => ({
    name: 'remember',
    arguments: { text, quote, kind: 'identity', ...more },
  });

  it('says of nobody whom an owner means by a name, whoever has told it', async () => {
    const theirs = `Bob is reached at ${EVE}`;
    office.script('A fact of a member', [remember(theirs, theirs)]);
    await office.settled(await office.post({ from: MEMBER, subject: 'A fact of a member', text: `${theirs}.` }));
    const hers = `Remember that Bob is reached at ${EVE}`;
    await office.told('A fact of hers', `${hers}.`, [remember(`Bob is reached at ${EVE}`, hers)]);
    isAsked(
      await office.told('Send it to Bob', 'Send it to Bob, please.', [mailCall(EVE, { subject: ATTACK })]),
      'recipient',
    );
  });

  it('changes nothing of whom her own mail has called so', async () => {
    const cc = { name: 'Bob Stone', address: TIM };
    await office.toldRaw('Met Bob', await composed({ cc, subject: 'Met Bob', text: 'Hello.' }), []);
    isAsked(
      await office.told('Send it to Bob again', 'Send it to Bob Stone, please.', [mailCall(EVE, { subject: ATTACK })]),
      'recipient',
    );
  });
});

describe('a mail of the owner of another time', () => {
  it('is not the yes now, though it is recalled', async () => {
    await office.told('The yellow canoe', `The yellow canoe: please tell ${TIM} that it leaks.`, []);
    await office.later();
    const { run, verdicts } = await office.told('Yellow canoe?', 'What was it with the yellow canoe?', [
      mailCall(TIM, { subject: ATTACK }),
    ]);
    expect(run.status).toBe('waiting_approval');
    isAsked({ run, verdicts }, 'recipient');
  });

  it('is not the yes once more in an answer that only quotes it', async () => {
    const first = await office.post({ subject: 'The red canoe', text: `Please tell ${TIM} that it leaks.` });
    await office.settled(first);
    const text = `Thank you.\n\nOn Sat, Nov 28, 2026 at 7:50 PM ${OWNER} wrote:\n> Please tell ${TIM} that it leaks.\n`;
    const mine = await composed({ subject: 'Re: The red canoe', inReplyTo: first, references: [first], text });
    isAsked(await office.toldRaw('Thank you.', mine, [mailCall(TIM, { subject: ATTACK })]), 'recipient');
  });
});

it('an answer of the owner to what was sent for a member is not the yes', async () => {
  office.script('Ask your owner', [mailCall(OWNER, { subject: 'A member asks', body: 'May I?' })]);
  await office.settled(await office.post({ from: MEMBER, subject: 'Ask your owner', text: 'Ask your owner, please.' }));
  const asked: Sent = await onceRecorded(office.root, async () => {
    const found = (await office.left('reply', OWNER)).find(({ mail }) => mail.subject === 'A member asks');
    if (found === undefined) throw new Error('nothing was sent');
    return found;
  });
  const id = asked.mail.messageId ?? '';
  const text = `Yes. Please tell ${TIM} that we meet at three.`;
  const mine = await composed({ subject: 'Re: A member asks', inReplyTo: id, references: [id], text });
  isAsked(await office.toldRaw('Yes. Please tell', mine, [mailCall(TIM, { subject: ATTACK })]), 'begun');
});

describe('ten acts within an hour', () => {
  let busy: OwnWordsOffice;
  beforeAll(async () => {
    busy = await openOwnWords();
  });
  afterAll(() => busy.close());

  it('are none of those to which an owner has said yes', async () => {
    const many = (from: number) => [0, 1, 2, 3, 4].map((n) => mailCall(EVE, { subject: `Question ${from + n}` }));
    for (const from of [0, 5]) {
      await busy.told(`Questions from ${from}`, 'Please do it.', many(from));
      await busy.answer(await busy.questionAbout(`Subject: Question ${from}`), 'Yes to all');
      for (let n = from; n < from + 5; n += 1) await busy.arrives(EVE, `Question ${n}`);
    }
  });

  it('are the most: each after them is a question, and a yes to one is the yes to no other', async () => {
    const acts = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => mailCall(TIM, { subject: `Act ${from + n}` }));
    const text = `Please tell ${TIM}.`;
    isDone(await busy.told('Five acts', text, acts(0, 5)));
    isDone(await busy.told('Five more', text, acts(5, 5)));
    isAsked(await busy.told('The eleventh', text, acts(10, 1)), 'often');
    await busy.answer(await busy.questionAbout('Subject: Act 10'), 'Yes');
    await busy.arrives(TIM, 'Act 10');
    isAsked(await busy.told('The twelfth', text, acts(11, 1)), 'often');
    expect(await busy.reached(TIM, 'Act 11')).toBe(0);
  });
});

it('after all of that nobody has been sent what nobody asked for', async () => {
  for (const address of [TIM, EVE]) expect([address, await office.reached(address, ATTACK)]).toEqual([address, 0]);
});
