import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { type AnswerFirst, BOB, deletion, mailCall, openAnswerFirst } from './rig.ts';

let office: AnswerFirst;
beforeAll(async () => {
  office = await openAnswerFirst(
    Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [`data/personas/ada/files/${name}.txt`, `The words of ${name}\n`]),
    ),
  );
});
afterAll(() => office.close());

const purposes = (messageId: string) => office.answersTo(messageId).map(({ purpose }) => purpose);
const fileThere = (path: string) => existsSync(join(office.root, 'data/personas/ada/files', path));

describe('a mail that somebody else is to get', () => {
  it('leaves the answer free: it is mailed at once and says what waits; what came of it follows', async () => {
    const { messageId, run } = await office.asks('Offer one', [[mailCall('Offer one')], 'I have asked for it.']);
    expect(run.status).toBe('done');
    expect(office.results('Offer one').map((content) => JSON.parse(content))).toMatchObject([
      { ok: true, state: 'waiting', of: 'an owner' },
    ]);
    expect(purposes(messageId)).toEqual(['final']);
    const [first = ''] = await office.textsTo(MEMBER);
    expect(first).toContain('I have asked for it.');
    expect(first).toMatch(/Waiting: .*bob@elsewhere\.example/);
    expect(await office.left('wait')).toEqual([]);
    await office.answer(await office.questionAbout('Offer one'), 'yes');
    const follow = await office.arrival('reply', MEMBER, 2);
    expect(follow.mail.text).toContain('The answer was yes, and it is done.');
    expect(follow.mail.text).toMatch(/Done: .*bob@elsewhere\.example/);
    expect(follow.mail.inReplyTo).toBe(messageId);
    expect((await office.left('reply', BOB)).map(({ mail }) => mail.subject)).toEqual(['Offer one']);
    expect(purposes(messageId)).toEqual(['final', 'follow_up']);
    expect(office.runsOf(messageId).map(({ status, outcome, model_calls }) => [status, outcome, model_calls])).toEqual([
      ['done', 'final', 2],
      ['done', 'final', 0],
    ]);
    expect(await office.replays(messageId)).toEqual([]);
  });
});
