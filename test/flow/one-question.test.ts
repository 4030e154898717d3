import { afterEach, describe, expect, it } from 'vitest';
import { doing, type Modelled, openModelled } from './acceptance/office-with-model.ts';
import { type AnswerFirst, BOB, deletion, mailCall, openAnswerFirst } from './answer-first/rig.ts';
import { MEMBER, OWNER, openOffice } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

// One request is one mail to its owner, however many things have to be asked about.

const open: { close?: () => Promise<void> } = {};
afterEach(() => open.close?.());

const FILES = ['a.txt', 'b.txt'] as const;
const WANTED = [mailCall('Offer'), ...FILES.map(deletion)];

/** All that owners were asked, by the mail that asks it. */
const questions = async (office: Pick<Modelled['office'], 'left'>) => [
  ...(await office.left('approval', OWNER)),
  ...(await office.left('clarify', OWNER)),
];

describe('a request with a mail and two deletions', () => {
  it('is one mail to the owner, by which each of them is decided, where its answer waits', async () => {
    const made = await openModelled(doing(...WANTED));
    open.close = made.close;
    for (const name of FILES) made.put(name, `This is ${name}.`);
    await made.office.ask(`Please send ${BOB} the offer, and delete a.txt and b.txt.`);
    const [question, ...more] = await questions(made.office);
    expect(more).toEqual([]);
    for (const part of ['Offer', ...FILES]) expect(question?.mail.text).toContain(part);
    if (!question) throw new Error('nobody was asked');
    await made.office.answer(question, 'approve all');
    await made.office.arrival('reply', BOB);
    await made.office.arrival('reply', MEMBER);
    expect(FILES.map(made.read)).toEqual([null, null]);
    expect(await questions(made.office)).toHaveLength(1);
  });

  it('is one mail where its answer leaves at once, also over several turns', async () => {
    const office: AnswerFirst = await openAnswerFirst(
      Object.fromEntries(FILES.map((name) => [`data/personas/ada/files/${name}`, `This is ${name}.\n`])),
    );
    open.close = office.close;
    const { messageId } = await office.asks('All of it', [...WANTED.map((call) => [call]), 'It waits.'], {
      text: `Please send ${BOB} the offer, and delete a.txt and b.txt.`,
    });
    // The answer does not wait for the question, which leaves by itself.
    const [question, ...more] = await onceRecorded(office.root, async () => {
      const asked = await questions(office);
      expect(asked).not.toEqual([]);
      return asked;
    });
    expect(more).toEqual([]);
    for (const part of ['Offer', ...FILES]) expect(question?.mail.text).toContain(part);
    if (!question) throw new Error('nobody was asked');
    await office.answer(question, 'approve all');
    await office.arrival('reply', BOB);
    const { mail: follow } = await office.arrival('reply', MEMBER, 2);
    for (const part of ['Offer', ...FILES]) expect(follow.text).toContain(part);
    expect(office.answersTo(messageId).map(({ purpose }) => purpose)).toEqual(['final', 'follow_up']);
    expect(await questions(office)).toHaveLength(1);
    // What one answer decided is told in one mail, where it can be taken back.
    const [undo, ...others] = await onceRecorded(office.root, async () => {
      const told = (await office.left('notice', OWNER)).filter(({ mail }) => mail.text?.includes('can be taken back'));
      expect(told).not.toEqual([]);
      return told;
    });
    expect(others).toEqual([]);
    for (const name of FILES) expect(undo?.mail.text).toContain(name);
  });

  it('control: two requests are two mails', async () => {
    const made = await openModelled(doing(...WANTED));
    open.close = made.close;
    for (const name of FILES) made.put(name, `This is ${name}.`);
    await made.office.ask(`Please send ${BOB} the offer, and delete a.txt and b.txt.`);
    await made.office.ask(`Please send ${BOB} the offer, and delete a.txt and b.txt.`, MEMBER, 'Once more');
    expect(await questions(made.office)).toHaveLength(2);
  });
});

describe('what an owner is told of STOP and RESUME', () => {
  it('answers the mail that said so, and nothing else', async () => {
    const office = await openOffice();
    open.close = office.close;
    const stop = await office.post({ subject: 'STOP', text: '' });
    const stopped = await office.arrival('notice', OWNER);
    expect(stopped.mail.inReplyTo).toBe(stop);
    const talk = await office.post({ subject: 'RESUME', text: 'RESUME\n\nand greet Bob for me' });
    const still = await office.arrival('notice', OWNER, 2);
    expect(still.mail.inReplyTo).toBe(talk);
    const resume = await office.post({ subject: 'RESUME', text: 'RESUME' });
    const resumed = await office.arrival('notice', OWNER, 3);
    expect(resumed.mail.inReplyTo).toBe(resume);
    expect(new Set([stop, talk, resume]).size).toBe(3);
  });
});
