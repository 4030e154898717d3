import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADA, MEMBER, OWNER } from '../governance-rig.ts';
import { onceRecorded } from '../record.ts';
import { type AnswerFirst, BOB, deletion, mailCall, openAnswerFirst } from './rig.ts';

let office: AnswerFirst;
beforeAll(async () => {
  office = await openAnswerFirst(
    Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((name) => [`data/personas/ada/files/${name}.txt`, `The words of ${name}\n`]),
    ),
  );
});
afterAll(() => office.close());

const purposes = (messageId: string) => office.answersTo(messageId).map(({ purpose }) => purpose);
/** The newest mail about it that follows the answer, once there are so many. */
const told = (messageId: string, count = 1): Promise<string> =>
  onceRecorded(office.root, async () => {
    expect(purposes(messageId)).toHaveLength(count + 1);
    const about = (await office.left('reply')).filter(({ mail }) => mail.inReplyTo === messageId);
    expect(about).toHaveLength(count + 1);
    return about.at(-1)?.mail.text ?? '';
  });
const reached = async (subject: string): Promise<number> =>
  (await office.left('reply', BOB)).filter(({ mail }) => mail.subject === subject).length;
const fileThere = (path: string) => existsSync(join(office.root, 'data/personas/ada/files', path));

/** A mail of an owner that does not itself say what is to be done, so that they are asked. */
const OWNERS = { from: OWNER, text: 'Please see to it.' };

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
    expect(follow.mail.text).toContain('What was still open about your mail is done now.');
    expect(follow.mail.text).toMatch(/Done: .*bob@elsewhere\.example/);
    expect(follow.mail.inReplyTo).toBe(messageId);
    expect((await office.left('reply', BOB)).map(({ mail }) => mail.subject)).toEqual(['Offer one']);
    expect(purposes(messageId)).toEqual(['final', 'follow_up']);
    expect(office.runsOf(messageId).map(({ status, outcome, model_calls }) => [status, outcome, model_calls])).toEqual([
      ['done', 'final', 2],
      ['done', 'final', 0],
    ]);
    expect(await office.replays(messageId)).toEqual([]);
    // That it waited was no call, and no failure.
    const { by_tool: tools } = (await office.cli('usage')).json;
    expect(tools).toMatchObject([{ tool: 'send_email', calls: 1, failures: 0 }]);
  });
});

describe('what was decided after the answer', () => {
  it('is told to whoever asked where it is a no, and nothing is done', async () => {
    const { messageId } = await office.asks('Offer two', [[mailCall('Offer two')], 'It waits.']);
    await office.answer(await office.questionAbout('Offer two'), 'no, too early');
    const follow = await told(messageId);
    expect(follow).toContain('is not going to be done');
    expect(follow).not.toContain('too early');
    expect(await reached('Offer two')).toBe(0);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('is what an owner has put in its place', async () => {
    const { messageId } = await office.asks('Offer three', [[mailCall('Offer three')], 'It waits.']);
    const question = await office.questionAbout('Offer three');
    await office.answer(question, 'edit 1\nsubject: Offer 3b');
    await office.answer(await office.questionAbout('Offer 3b', [question.mail.messageId ?? '']), 'yes');
    expect(await told(messageId)).toContain('is done now');
    expect([await reached('Offer three'), await reached('Offer 3b')]).toEqual([0, 1]);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('is done once, however often an owner says yes', async () => {
    const { messageId } = await office.asks('Offer four', [[mailCall('Offer four')], 'It waits.']);
    const question = await office.questionAbout('Offer four');
    await office.answer(question, 'yes');
    await told(messageId);
    await office.answer(question, 'yes, please', { messageId: '<again-four@example.com>' });
    await office.left('clarify');
    expect(await reached('Offer four')).toBe(1);
    expect(purposes(messageId)).toEqual(['final', 'follow_up']);
  });

  it('is asked about anew where what it would change is another by then', async () => {
    const { messageId } = await office.asks('Delete a', [[deletion('a.txt')], 'It waits.'], {
      text: 'Delete a.txt, please.',
    });
    const question = await office.questionAbout('a.txt');
    writeFileSync(join(office.root, 'data/personas/ada/files/a.txt'), 'Other words\n');
    await office.answer(question, 'yes');
    const again = await office.questionAbout('a.txt', [question.mail.messageId ?? '']);
    expect(fileThere('a.txt')).toBe(true);
    expect(purposes(messageId)).toEqual(['final']);
    await office.answer(again, 'yes');
    expect(await told(messageId)).toContain('is done now');
    expect(fileThere('a.txt')).toBe(false);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('comes one after the other where there are several questions, each told by itself', async () => {
    const calls = [mailCall('Offer five'), mailCall('Offer six')];
    const { messageId } = await office.asks('Two offers', [calls, 'Both wait.']);
    const question = await office.questionAbout('Offer five');
    await office.answer(question, 'approve 2');
    expect(await told(messageId)).toContain('is done now');
    expect([await reached('Offer five'), await reached('Offer six')]).toEqual([0, 1]);
    await office.answer(question, 'deny 1');
    expect(await told(messageId, 2)).toContain('is not going to be done');
    expect(await reached('Offer five')).toBe(0);
    expect(purposes(messageId)).toEqual(['final', 'follow_up', 'follow_up']);
    expect(await office.replays(messageId)).toEqual([]);
  });
});

describe('deletions of several turns', () => {
  it('are one plan, as those of one turn are', async () => {
    const { messageId } = await office.asks('Delete both', [[deletion('b.txt')], [deletion('c.txt')], 'Both wait.'], {
      text: 'Delete b.txt and c.txt, please.',
    });
    const asked = office.reading((db) => db.events(office.runsOf(messageId)[0]?.id ?? ''));
    expect(asked.filter(({ type }) => type === 'approval_requested').map(({ data }) => data.items)).toMatchObject([
      [{ tool: 'plan', calls: [expect.any(String), expect.any(String)] }],
    ]);
    await office.answer(await office.questionAbout('c.txt'), 'approve');
    expect(await told(messageId)).toContain('is done now');
    expect([fileThere('b.txt'), fileThere('c.txt')]).toEqual([false, false]);
    expect(purposes(messageId)).toEqual(['final', 'follow_up']);
    expect(await office.replays(messageId)).toEqual([]);
  });
});

describe('a call that depends on one that waits', () => {
  it('is refused, and is neither made nor asked about', async () => {
    const turns = [
      [deletion('d.txt')],
      [{ name: 'write_file', arguments: { path: './d.txt', content: 'new' } }],
      'Wait.',
    ];
    const { messageId } = await office.asks('Replace d', turns, { text: 'Replace d.txt, please.' });
    expect(office.results('Replace d').map((content) => JSON.parse(content).error?.code)).toEqual([
      undefined,
      'waits_for',
    ]);
    expect(readFileSync(join(office.root, 'data/personas/ada/files/d.txt'), 'utf8')).toBe('The words of d\n');
    expect((await office.textsTo(MEMBER)).at(-1)).toMatch(/Waiting: .*d\.txt/);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('is the same call once more', async () => {
    await office.asks('Offer seven', [[mailCall('Offer seven')], [mailCall('Offer seven')], 'It waits.']);
    expect(office.results('Offer seven').map((content) => JSON.parse(content).error?.code)).toEqual([
      undefined,
      'waits_for',
    ]);
  });
});

describe('a model that ends its turn without a word', () => {
  it('waits, and writes its one answer when it knows what came of its calls', async () => {
    const { messageId, run } = await office.asks('Offer eight', [[mailCall('Offer eight')], '', 'Bob has it.']);
    expect(run.status).toBe('waiting_approval');
    expect(purposes(messageId)).toEqual([]);
    await office.answer(await office.questionAbout('Offer eight'), 'yes');
    expect(await told(messageId, 0)).toContain('Bob has it.');
    expect(JSON.parse(office.results('Offer eight').at(-1) ?? '{}')).toMatchObject({ ok: true });
    expect(await reached('Offer eight')).toBe(1);
    expect(purposes(messageId)).toEqual(['final']);
    expect(await office.replays(messageId)).toEqual([]);
  });
});

describe('whoever asked for it', () => {
  const later = (messageId: string, text: string, mail: object = {}) =>
    office.post({ from: MEMBER, subject: 'Re: it', inReplyTo: messageId, references: [messageId], text, ...mail });

  it('takes it back by a later mail: the owner hears of it, and nothing is done or told after it', async () => {
    const { messageId } = await office.asks('Offer twelve', [[mailCall('Offer twelve')], 'It waits.']);
    const question = await office.questionAbout('Offer twelve');
    office.script('Undo, please', 'All right.');
    await later(messageId, 'Undo, please');
    const told = await onceRecorded(office.root, async () => {
      const found = (await office.left('notice', OWNER)).find(({ mail }) => mail.subject?.includes('Taken back'));
      if (!found) throw new Error('the owner has not heard of it');
      return found;
    });
    expect(told.mail.text).toContain(`${MEMBER} has taken back what I asked you about`);
    await office.answer(question, 'yes');
    await onceRecorded(office.root, async () => {
      const late = (await office.left('clarify', OWNER)).at(-1);
      expect(late?.mail.text).toContain('This was taken back already.');
    });
    expect(await reached('Offer twelve')).toBe(0);
    expect(purposes(messageId)).toEqual(['final']);
    expect(office.runsOf(messageId)).toHaveLength(1);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('takes back what owners had to be asked about anew', async () => {
    const { messageId } = await office.asks('Delete e', [[deletion('e.txt')], 'It waits.'], {
      text: 'Delete e.txt, please.',
    });
    const question = await office.questionAbout('e.txt');
    writeFileSync(join(office.root, 'data/personas/ada/files/e.txt'), 'Other words\n');
    await office.answer(question, 'yes');
    const again = await office.questionAbout('e.txt', [question.mail.messageId ?? '']);
    office.script('Undo it', 'All right.');
    await later(messageId, 'Undo');
    await onceRecorded(office.root, () => expect(office.stateOf(messageId)).toBe('stale'));
    await office.answer(again, 'yes');
    await onceRecorded(office.root, () =>
      expect(office.runsOf(messageId).map(({ status, outcome }) => `${status} ${outcome}`)).toEqual([
        'done final',
        'done silent:taken_back',
      ]),
    );
    expect(fileThere('e.txt')).toBe(true);
    expect(purposes(messageId)).toEqual(['final']);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('writes something else meanwhile, and gets an answer to that; nobody else takes it back', async () => {
    const { messageId } = await office.asks('Offer thirteen', [[mailCall('Offer thirteen')], 'It waits.']);
    office.script('What of Friday', 'Friday is fine.');
    await later(messageId, 'What of Friday?');
    await later(messageId, 'Undo', { from: OWNER, messageId: '<not-hers@example.com>' });
    await onceRecorded(office.root, async () => {
      expect((await office.textsTo(MEMBER)).some((text) => text.includes('Friday is fine.'))).toBe(true);
    });
    await office.answer(await office.questionAbout('Offer thirteen'), 'yes');
    expect(await told(messageId)).toContain('is done now');
    expect(await reached('Offer thirteen')).toBe(1);
  });
});

describe('an owner who asked for it', () => {
  const asked = async (subject: string) => {
    const { messageId, run } = await office.asks(subject, [[mailCall(subject)], 'It waits.'], OWNERS);
    return { messageId, run, question: await office.questionAbout(subject) };
  };

  it('hears of a no that it was one, with why', async () => {
    const { messageId, question } = await asked('Offer seventeen');
    await office.answer(question, 'no, too early');
    const follow = await told(messageId);
    expect(follow).toContain('The answer was no, so it is not done.');
    expect(follow).toContain('too early');
    expect(await reached('Offer seventeen')).toBe(0);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('hears of a run that was cancelled that nobody is asked any more', async () => {
    const { messageId, run } = await asked('Offer eighteen');
    expect((await office.cli('runs', 'cancel', run.id)).json).toMatchObject({ withdrawn: 1 });
    expect(await told(messageId)).toContain('Nobody is asked about it any more, so it is not done.');
    expect(await reached('Offer eighteen')).toBe(0);
    expect(await office.replays(messageId)).toEqual([]);
  });
});

describe('a question that nobody answers', () => {
  it('is over in time, and whoever asked is told once, an owner as an owner', async () => {
    const short = await openAnswerFirst({}, { ttl_hours: 8 / 3600, reminder_hours: 0 });
    try {
      const { messageId } = await short.asks('Offer nine', [[mailCall('Offer nine')], 'It waits.']);
      const own = await short.asks('Offer ten', [[mailCall('Offer ten')], 'It waits.'], OWNERS);
      const follow = await short.arrival('reply', MEMBER, 2);
      expect(follow.mail.text).toContain('is not going to be done');
      expect(follow.mail.text).toContain('the owner did not answer in time');
      const ofOwner = await short.arrival('reply', OWNER, 2);
      expect(ofOwner.mail.text).toContain('There was no answer in time, so it is not done.');
      expect(ofOwner.mail.text).toMatch(/Not done: .*bob@elsewhere\.example/);
      expect(await short.left('reply', BOB)).toEqual([]);
      for (const id of [messageId, own.messageId]) expect(await short.replays(id)).toEqual([]);
    } finally {
      await short.close();
    }
  });
});

describe('a run that has answered, and is cancelled', () => {
  const cancel = (id: string | undefined) => office.cli('runs', 'cancel', id ?? '');

  it('asks nobody any more: whoever asked is told once, and a late yes does nothing', async () => {
    const { messageId, run } = await office.asks('Offer fifteen', [[mailCall('Offer fifteen')], 'It waits.']);
    const question = await office.questionAbout('Offer fifteen');
    expect((await cancel(run.id)).json).toMatchObject({ run: { status: 'done' }, withdrawn: 1 });
    const follow = await told(messageId);
    expect(follow).toContain('What was still open about your mail is not going to be done.');
    expect(follow).toMatch(/Not done: .*bob@elsewhere\.example.* \(stopped before it was done\)/);
    const clarified = (await office.left('clarify', OWNER)).length;
    await office.answer(question, 'yes', { messageId: '<late-fifteen@example.com>' });
    await onceRecorded(office.root, async () =>
      expect(await office.left('clarify', OWNER)).toHaveLength(clarified + 1),
    );
    expect((await office.left('clarify', OWNER)).at(-1)?.mail.text).toContain('nothing was done');
    expect((await cancel(run.id)).json.error).toMatchObject({ code: 'wrong_state' });
    expect(await reached('Offer fifteen')).toBe(0);
    expect(purposes(messageId)).toEqual(['final', 'follow_up']);
    expect(office.stateOf(messageId)).toBe('stale');
    expect(
      (await office.left('notice', OWNER)).filter(({ mail }) =>
        mail.subject?.includes('after your yes: "Offer fifteen'),
      ),
    ).toEqual([]);
    expect(await office.replays(messageId)).toEqual([]);
  });

  it('does not ask anew either about what had changed by the time of a yes', async () => {
    const file = join(office.root, 'data/personas/ada/files/f.txt');
    writeFileSync(file, 'The words of f\n');
    const { messageId, run } = await office.asks('Delete f', [[deletion('f.txt')], 'It waits.'], {
      text: 'Delete f.txt, please.',
    });
    const question = await office.questionAbout('f.txt');
    writeFileSync(file, 'Other words\n');
    await office.answer(question, 'yes');
    const again = await office.questionAbout('f.txt', [question.mail.messageId ?? '']);
    expect((await cancel(run.id)).json).toMatchObject({ withdrawn: 1 });
    expect(await told(messageId)).toContain('nothing more will happen by itself');
    await office.answer(again, 'yes', { messageId: '<late-f@example.com>' });
    await office.left('clarify', OWNER);
    expect(fileThere('f.txt')).toBe(true);
    expect(purposes(messageId)).toEqual(['final', 'follow_up']);
  });

  it('control: without it the yes is carried out', async () => {
    const { messageId } = await office.asks('Offer sixteen', [[mailCall('Offer sixteen')], 'It waits.']);
    await office.answer(await office.questionAbout('Offer sixteen'), 'yes');
    expect(await told(messageId)).toContain('is done now');
    expect(await reached('Offer sixteen')).toBe(1);
  });
});

describe('whose word it waits for', () => {
  const CAROL = 'carol@example.com';
  const mailTo = (names: string) => ({ ok: true, state: 'waiting', of: names });
  let two: AnswerFirst;
  beforeAll(async () => {
    two = await openAnswerFirst({
      'configs/security.json': {
        owners: [OWNER, CAROL],
        approvals: { batch_window_s: 0, answer: 'now' },
      },
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        access: { allow: [MEMBER] },
        reply: { recipients: 'all' },
      },
    });
  });
  afterAll(() => two.close());
  const last = async (address: string) => (await two.textsTo(address)).at(-1) ?? '';
  const text = 'Please see to it.';

  it('is named by all names that are known, and is “you” for an owner who reads it alone', async () => {
    const own = await two.asks('Offer a', [[mailCall('Offer a')], 'It waits.'], { from: OWNER, text });
    expect(two.results('Offer a').map((content) => JSON.parse(content))).toMatchObject([
      mailTo('the sender of this mail'),
    ]);
    expect(await last(OWNER)).toMatch(/Waiting: .*\(approval asked of you\)/);
    await two.asks('Offer b', [[mailCall('Offer b')], 'It waits.'], { from: `"Carol Lind" <${CAROL}>`, text });
    expect(two.results('Offer b').map((content) => JSON.parse(content))).toMatchObject([
      mailTo('Carol Lind (the sender of this mail)'),
    ]);
    await two.asks('Offer c', [[mailCall('Offer c')], 'It waits.'], { from: `"Olga Dorn" <${OWNER}>`, text });
    expect(two.results('Offer c').map((content) => JSON.parse(content))).toMatchObject([
      mailTo('Olga Dorn (the sender of this mail) or Carol Lind'),
    ]);
    expect(await last(OWNER)).toMatch(/Waiting: .*\(approval asked of you and Carol Lind\)/);
    expect(await two.replays(own.messageId)).toEqual([]);
  });

  it('has the names of all of them for somebody else, and for several readers', async () => {
    const { messageId } = await two.asks('Offer d', [[mailCall('Offer d')], 'It waits.'], { text });
    expect(two.results('Offer d').map((content) => JSON.parse(content))).toMatchObject([
      mailTo('Olga Dorn or Carol Lind'),
    ]);
    expect(await last(MEMBER)).toContain('(approval asked of Olga Dorn, Carol Lind)');
    await two.asks('Offer e', [[mailCall('Offer e')], 'It waits.'], {
      from: `"Olga Dorn" <${OWNER}>`,
      cc: [CAROL],
      text,
    });
    expect(await last(OWNER)).toContain('(approval asked of Olga Dorn, Carol Lind)');
    expect(await two.replays(messageId)).toEqual([]);
  });
});

describe('an owner’s STOP', () => {
  it('closes what waits, and nobody but the owner hears of it', async () => {
    const stopped = await openAnswerFirst();
    try {
      const { messageId } = await stopped.asks('Offer ten', [[mailCall('Offer ten')], 'It waits.']);
      const question = await stopped.questionAbout('Offer ten');
      await stopped.post({ subject: 'STOP', text: '' });
      const told = await stopped.arrival('notice', OWNER);
      expect(told.mail.text).toContain('Offer ten');
      await stopped.answer(question, 'yes');
      await stopped.post({ subject: 'RESUME', text: 'RESUME' });
      await stopped.arrival('notice', OWNER, 2);
      expect((await stopped.arrival('clarify', OWNER)).mail.text).toContain('closed by STOP');
      expect(await stopped.left('wait')).toEqual([]);
      expect(await stopped.left('reply', BOB)).toEqual([]);
      expect(stopped.answersTo(messageId).map(({ purpose }) => purpose)).toEqual(['final']);
    } finally {
      await stopped.close();
    }
  });
});

describe('a run that waits in the way of before', () => {
  it('goes on so when its workspace is told that answers leave at once', async () => {
    const before = await openAnswerFirst({}, { answer: 'after' });
    try {
      const { messageId, run } = await before.asks('Offer eleven', [[mailCall('Offer eleven')], 'Bob has it.']);
      expect(run.status).toBe('waiting_approval');
      expect((await before.arrival('wait', MEMBER)).mail.inReplyTo).toBe(messageId);
      expect((await before.cli('config', 'set', 'security', 'approvals.answer', 'now')).code).toBe(0);
      await before.restart();
      await before.answer(await before.questionAbout('Offer eleven'), 'yes');
      expect((await before.arrival('reply', MEMBER)).mail.text).toContain('Bob has it.');
      expect(before.answersTo(messageId).map(({ purpose }) => purpose)).toEqual(['final']);
      expect(await before.replays(messageId)).toEqual([]);
      const after = await before.asks('Offer fourteen', [[mailCall('Offer fourteen')], 'It waits.']);
      expect(after.run.status).toBe('done');
    } finally {
      await before.close();
    }
  });
});
