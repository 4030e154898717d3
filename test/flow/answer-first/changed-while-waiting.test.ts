import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract';
import { eventually } from '../eventually.ts';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { type AnswerFirst, BOB, mailCall, openAnswerFirst } from './rig.ts';

// A colleague has thirty boxes ordered, and the owner wants twenty: the order that waits becomes another, so that one yes orders once.

let office: AnswerFirst;
beforeAll(async () => {
  office = await openAnswerFirst();
});
afterAll(() => office.close());

/** The question that waits of a mail's runs. */
const openId = (messageId: string): string =>
  office.reading((db) => {
    const runs = office.runsOf(messageId).map(({ id }) => id);
    return db.approvalsOf(runs).findLast(({ state }) => state === 'pending')?.id ?? 'none';
  });

async function ordered(subject: string, mail: object = {}) {
  const { messageId } = await office.asks(subject, [[mailCall(subject)], 'I have asked for a yes.'], mail);
  return { messageId, question: await office.questionAbout(subject) };
}

const changing = (id: string, changes: JsonObject | null) => ({
  name: 'change_waiting',
  arguments: { id, ...(changes === null ? {} : { arguments: changes }) },
});
const toBob = () => office.left('reply', BOB);

describe('a call that waits, and that its owner wants otherwise', () => {
  it('is asked about as it is to be in the place of what it was, and is made once', async () => {
    const { messageId, question } = await ordered('Order of 30 boxes');
    const before = openId(messageId);
    const wish = 'but 20 boxes, not 30. And ask if they still have the chewable ones';
    const body = 'Dear Bob, 20 boxes. Do you still have the chewable ones?';
    office.script('but 20 boxes', [changing(before, { subject: 'Order of 20 boxes', body })], 'It says twenty now.');
    const said = await office.answer(question, `Yes, ${wish}.`);
    const changed = await office.questionAbout('Order of 20 boxes', [question.mail.messageId ?? '']);
    expect(changed.mail.subject).toContain('Order of 20 boxes');
    // What the model is told: what waits, that this is about it, and by what it is changed.
    const asked = office.model.requests.findLast(({ view }) => view.lastUser.includes('but 20 boxes'))?.view.lastUser;
    expect(asked).toContain(`which this mail answers (id ${before})`);
    expect(asked).toContain('neither a clear yes nor a clear no');
    // The answer says what stands, under the subject of the order and not of the question.
    const [answer] = (await office.left('reply', OWNER)).filter(({ mail }) => mail.inReplyTo === said);
    expect(answer?.mail.subject).toBe('Re: Order of 30 boxes');
    expect(answer?.mail.text).toContain('It says twenty now.');
    expect(answer?.mail.text).toContain(`waits for your yes: ${BOB} "Order of 20 boxes"`);
    // A late yes to the first does nothing.
    await office.answer(question, 'Yes.');
    await onceRecorded(office.root, async () => {
      const told = (await office.left('clarify', OWNER)).at(-1)?.mail.text;
      expect(told).toContain('about the changed one there is a mail of its own');
    });
    expect(await toBob()).toEqual([]);
    await office.answer(changed, 'Yes.');
    const sent = await onceRecorded(office.root, async () => {
      const all = await toBob();
      expect(all).toHaveLength(1);
      return all[0];
    });
    expect(sent?.mail.subject).toBe('Order of 20 boxes');
    expect(sent?.mail.text).toContain('20 boxes');
    // Whoever ordered hears what became of it, and nothing of an order that is not made.
    await onceRecorded(office.root, () => expect(office.answersTo(messageId)).toHaveLength(2));
    const told = (await office.textsTo(MEMBER)).at(-1);
    expect(told).toContain('Order of 20 boxes');
    expect(told).not.toContain('Not done');
    expect(await office.replays(messageId)).toEqual([]);
    expect(await office.replays(said)).toEqual([]);
  });

  it('is withdrawn, and nothing of it is done', async () => {
    const { messageId } = await ordered('Order of 40 boxes');
    office.script('no forty boxes after all', [changing(openId(messageId), null)], 'They are not ordered.');
    const { messageId: said } = await office.asks(
      'Boxes',
      [[changing(openId(messageId), null)], 'They are not ordered.'],
      { from: OWNER, text: 'Please no forty boxes after all.' },
    );
    expect(office.stateOf(messageId)).toBe('rejected');
    const [answer] = (await office.left('reply', OWNER)).filter(({ mail }) => mail.inReplyTo === said);
    expect(answer?.mail.text).toContain(`waits no more, and is not done: ${BOB} "Order of 40 boxes"`);
    await onceRecorded(office.root, () => expect(office.answersTo(messageId)).toHaveLength(2));
    expect((await office.textsTo(MEMBER)).at(-1)).toContain(
      'Not done: mail to bob@elsewhere.example "Order of 40 boxes"',
    );
  });

  it('is told to its owner once where it was their own, and never to be changed by anybody else', async () => {
    const { messageId } = await ordered('Order of 50 boxes', { from: OWNER });
    const id = openId(messageId);
    const { run } = await office.asks('Fifty', [[changing(id, { subject: 'Order of 5' })], 'I cannot.'], {
      text: 'Make it five.',
    });
    expect(run.status).toBe('done');
    expect(openId(messageId)).toBe(id);
    await office.asks('No fifty', [[changing(id, null)], 'Withdrawn.'], { from: OWNER, text: 'No fifty boxes.' });
    expect(office.stateOf(messageId)).toBe('stale');
    expect(office.answersTo(messageId).map(({ purpose }) => purpose)).toEqual(['final']);
  });

  it('is listed for its owner alone', async () => {
    const { messageId } = await ordered('Order of 60 boxes');
    const list = { name: 'list_waiting', arguments: {} };
    await office.asks('What waits', [[list], 'That is all.'], { from: OWNER, text: 'What waits?' });
    expect(office.results('What waits').join('\n')).toContain(openId(messageId));
    expect(office.results('What waits').join('\n')).toContain('Order of 60 boxes');
    await office.asks('What waits for me', [[list], 'Nothing.'], { text: 'What is there?' });
    expect(office.results('What waits for me').join('\n')).not.toContain('Order of 60 boxes');
  });
});

describe('an answer that says yes and no at once', () => {
  it('is asked back about with what else waits, which it may mean', async () => {
    const first = await ordered('Order of 80 boxes');
    const second = await ordered('Order of 90 boxes');
    await office.answer(second.question, 'Yes this one, not the 80.');
    await onceRecorded(office.root, async () => {
      const told = (await office.left('clarify', OWNER)).at(-1)?.mail.text;
      expect(told).toContain('both yes and no');
      expect(told).toMatch(/What else waits for your answer, in a mail of its own: [\s\S]*Order of 80\s+boxes/);
    });
    expect([openId(first.messageId), openId(second.messageId)]).not.toContain('none');
    await office.answer(first.question, 'No.');
    await office.answer(second.question, 'No.');
  });
});

describe('an answer that says of something that it waits', () => {
  it('is written anew where that was done before it could leave', async () => {
    const { messageId, question } = await ordered('Order of 70 boxes');
    const held = Promise.withResolvers<void>();
    office.script('Where is my order?', { text: 'It still waits for a yes.', until: held.promise });
    office.script('It does not any more', 'It is ordered by now.');
    const asked = await office.post({
      from: MEMBER,
      subject: 'Re: Order of 70 boxes',
      inReplyTo: messageId,
      references: [messageId],
      text: 'Where is my order?',
    });
    await eventually(
      () => office.model.requests.filter(({ view }) => view.lastUser.includes('Where is my order?')),
      (heard) => heard.length > 0,
    );
    await office.answer(question, 'Yes.');
    await onceRecorded(office.root, () => expect(office.stateOf(messageId)).not.toBe('pending'));
    held.resolve();
    const answer = await onceRecorded(office.root, async () => {
      const found = (await office.left('reply', MEMBER)).find(({ mail }) => mail.inReplyTo === asked);
      if (!found) throw new Error('no answer yet');
      return found;
    });
    expect(answer.mail.text).toContain('It is ordered by now.');
    expect(answer.mail.text).not.toContain('It still waits');
    expect(office.model.requests.at(-1)?.view.lastUser).toContain('an owner has said yes');
    expect(await office.replays(asked)).toEqual([]);
  });
});
