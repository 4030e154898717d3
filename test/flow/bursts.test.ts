import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Turn } from '../fakes/model-script.ts';
import { type Modelled, openModelled, type Says } from './acceptance/office-with-model.ts';
import { run } from './command-line.ts';
import { CARL, MEMBER, OWNER } from './governance-rig.ts';
import { onceRecorded } from './record.ts';

// People write again before they are answered. What comes before the answer is committed is answered with it.

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

/** Comes true when the test says so. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { until: promise, open: () => resolve() };
}

async function ada(
  says: Says,
  files: Readonly<Record<string, string | object>> = {},
  hooks: readonly string[] = [],
): Promise<Modelled> {
  open.made = await openModelled(says, files, [], hooks);
  return open.made;
}

type Mail = Parameters<Modelled['office']['post']>[0];

/** Later mails of one thread, in their order. */
async function goOn({ office }: Modelled, first: string, ...mails: readonly Mail[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const mail of mails) ids.push(await office.post({ inReplyTo: first, references: [first], ...mail }));
  return ids;
}

const asked = ({ model }: Modelled, count: number) =>
  onceRecorded(open.made?.office.root ?? '', () => expect(model.requests).toHaveLength(count));

const runs = async ({ office }: Modelled) => (await office.cli('runs', 'list')).json.runs.toReversed();
const fates = async (made: Modelled): Promise<readonly string[]> =>
  (await runs(made)).map(({ outcome }: { outcome: string }) => outcome);

const identical = async (made: Modelled) => {
  const [{ id }] = await runs(made);
  expect((await made.office.cli('runs', 'replay', id)).json.replay).toMatchObject({
    identical: true,
    difference: null,
  });
};

const TOGETHER = 'silent:answered_together';

/** The first answer waits for the gate; then it says what it was asked last, and once more where it is told to answer anew. */
function waitingOnce(until: Promise<void>): Says {
  const said = { last: '' };
  return (turn, lastUser) => {
    if (turn === 0) return { text: 'An answer to the first alone.', until };
    said.last = `Served: ${lastUser.match(/\bpart \w+/g) ?? said.last.replace('Served: ', '')}`;
    return { text: said.last };
  };
}

describe('three mails of one thread that come before the first is answered', () => {
  it('get one answer that serves all, and each of the others has a fate that names the run', async () => {
    const held = gate();
    const made = await ada(waitingOnce(held.until));
    const first = await made.office.post({ text: 'This is part one.' });
    await asked(made, 1);
    const [, third] = await goOn(made, first, { text: 'This is part two.' }, { text: 'And this is part three.' });
    held.open();
    const { mail } = await made.office.arrival('reply', OWNER);
    expect(mail.text).toContain('Served: part two,part three');
    expect(mail.inReplyTo).toBe(first);
    expect(await fates(made)).toEqual(['final', TOGETHER, TOGETHER]);
    const [{ id }] = await runs(made);
    const [entry] = (await made.office.cli('why', third ?? '')).json.entries;
    expect(entry).toMatchObject({ run: { code: 'answered_together' }, answered_with: { run: id, message_id: first } });
    const { stdout } = await run(['runs', 'explain', id, '--workspace', made.office.root]);
    expect(stdout).toContain('ALSO\n  2 later mails are answered with it\n');
    await identical(made);
  });

  it('are shown to the next mail of the thread in their order, with the answer behind the last', async () => {
    const held = gate();
    const made = await ada(waitingOnce(held.until));
    const first = await made.office.post({ text: 'This is part one.' });
    await asked(made, 1);
    await goOn(made, first, { text: 'This is part two.' });
    held.open();
    await made.office.arrival('reply', OWNER);
    await goOn(made, first, { text: 'What else?' });
    await made.office.arrival('reply', OWNER, 2);
    const said = JSON.stringify(made.model.requests.at(-1)?.body);
    const places = ['part one', 'part two', 'Served', 'What else?'].map((words) => said.indexOf(words));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(said).not.toContain('no answer was written');
  });

  it('reach a model before it makes another call, and what it has done stays done once', async () => {
    const held = gate();
    const write = (path: string) => ({ name: 'write_file', arguments: { path, content: 'x' } });
    const made = await ada((turn): Turn => {
      if (turn === 0) return { calls: [write('one.txt')], until: held.until };
      return turn === 1 ? { calls: [write('two.txt')] } : { text: 'Both are written.' };
    });
    const first = await made.office.post({ text: 'Write one.txt.' });
    await asked(made, 1);
    await goOn(made, first, { text: 'Write two.txt as well.' });
    held.open();
    await made.office.arrival('reply', OWNER);
    expect(made.model.requests).toHaveLength(3);
    expect(made.model.requests[1]?.view.lastUser).toContain('Write two.txt as well.');
    expect([made.read('one.txt'), made.read('two.txt')]).toEqual(['x', 'x']);
    await identical(made);
  });

  it('have each an answer where that is switched off', async () => {
    const held = gate();
    const made = await ada(waitingOnce(held.until), {
      'configs/system.json': { dispatch: { answer_together: false } },
    });
    const first = await made.office.post({ text: 'This is part one.' });
    await asked(made, 1);
    await goOn(made, first, { text: 'This is part two.' });
    held.open();
    await made.office.arrival('reply', OWNER, 2);
    expect(await fates(made)).toEqual(['final', 'final']);
  });

  it('come with their attachments', async () => {
    const held = gate();
    const made = await ada((turn, lastUser): Turn => {
      if (turn === 0) return { text: 'Where is it?', until: held.until };
      const [id = ''] = lastUser.match(/att_\w+/) ?? [];
      return turn === 1 ? { calls: [{ name: 'read_attachment', arguments: { id } }] } : { text: 'Read it.' };
    });
    const first = await made.office.post({ text: 'Please look at the list.' });
    await asked(made, 1);
    await goOn(made, first, {
      text: 'Forgot the list.',
      attachments: [{ filename: 'list.txt', content: 'eleven chairs' }],
    });
    held.open();
    await made.office.arrival('reply', OWNER);
    expect(made.told()).toContain('eleven chairs');
    expect(await fates(made)).toEqual(['final', TOGETHER]);
    await identical(made);
  });
});

describe('a mail that comes while the first is worked', () => {
  const outside: readonly (readonly [string, Mail])[] = [
    ['of another sender', { from: MEMBER, text: 'This is part two.' }],
    ['with another Cc', { cc: [CARL], text: 'This is part two.' }],
    ['that says of the answer before it that it was wrong', { text: 'bad\n\nThis is part two.' }],
    ['that makes the thread private', { text: 'private\n\nThis is part two.' }],
  ];
  it.each(outside)('%s has a run of its own, and nothing behind it overtakes it', async (_, mail) => {
    const held = gate();
    const made = await ada(waitingOnce(held.until));
    const first = await made.office.post({ subject: 'Offer', cc: [], text: 'This is part one.' });
    await asked(made, 1);
    await goOn(made, first, mail, { text: 'This is part three.' });
    held.open();
    await onceRecorded(made.office.root, async () => expect((await fates(made)).filter(Boolean)).toHaveLength(3));
    expect((await fates(made))[0]).toBe('final');
    expect((await fates(made))[1]).not.toBe(TOGETHER);
    const requests = made.model.requests.map(({ view }) => view.lastUser);
    expect(requests[1]).toContain('part two');
    expect(requests[0]).not.toContain('part two');
  });

  it('as an owner’s STOP ends all of it, and nothing is answered together', async () => {
    const held = gate();
    const made = await ada(waitingOnce(held.until));
    const first = await made.office.post({ from: MEMBER, text: 'This is part one.' });
    await asked(made, 1);
    await goOn(made, first, { from: MEMBER, text: 'This is part two.' });
    await made.office.post({ subject: 'STOP', text: '' });
    held.open();
    await onceRecorded(made.office.root, async () => expect(await fates(made)).toEqual(['cancelled', 'cancelled']));
    expect(await made.office.left('reply')).toEqual([]);
  });
});

describe('an owner’s answer to a question in the middle of a burst', () => {
  it('is an answer, and the mails around it are answered together', async () => {
    const held = gate();
    const serves = waitingOnce(held.until);
    const made = await ada((turn, lastUser): Turn => {
      if (lastUser.includes('Carl')) {
        return turn === 0 ? { calls: [{ name: 'send_email', arguments: MAIL_TO_CARL }] } : { text: 'Carl has it.' };
      }
      return serves(turn, lastUser, []);
    });
    await made.office.post({ from: MEMBER, subject: 'Carl', text: 'Write to Carl.' });
    const question = await made.office.arrival('approval', OWNER);
    const first = await made.office.post({ text: 'This is part one.' });
    await onceRecorded(made.office.root, async () => expect(await runs(made)).toHaveLength(2));
    await onceRecorded(made.office.root, () => expect(made.model.requests.length).toBeGreaterThanOrEqual(2));
    await made.office.answer(question, 'yes');
    await goOn(made, first, { text: 'This is part two.' });
    held.open();
    const { mail } = await made.office.arrival('reply', OWNER);
    expect(mail.text).toContain('Served: part two');
    await made.office.arrival('reply', MEMBER);
    expect(await made.office.states()).toEqual(['executed']);
  });
});

const MAIL_TO_CARL = { to: [CARL], subject: 'Offer', body: 'Dear Carl' };

describe('a mail that comes between the final and its commit', () => {
  /** A hook that looks at the first answer only when the test says so: what comes meanwhile comes after the last look. */
  const LOOKS_LATE = {
    'extensions/hooks/late/manifest.json': {
      name: 'late',
      kind: 'hook',
      api: 1,
      summary: 'Looks late',
      entry: 'index.mjs',
    },
    'extensions/hooks/late/index.mjs': `import { existsSync, writeFileSync } from 'node:fs';
      export default { async check() {
        writeFileSync(new URL('../../../looking', import.meta.url), '');
        while (!existsSync(new URL('../../../looked', import.meta.url))) await new Promise((on) => setTimeout(on, 20));
        return [];
      } };`,
  };

  it.each([
    ['a text', (text: string): Turn => ({ text })],
    ['a call', (text: string): Turn => ({ calls: [{ name: 'answer', arguments: { text, claims: [] } }] })],
  ])('is read in one more step, where the final was %s, and nothing of the first answer is sent', async (_, answer) => {
    const made = await ada(
      (turn, lastUser) =>
        turn === 0 ? answer('An answer to the first alone.') : answer(`Served: ${lastUser.match(/\bpart \w+/g)}`),
      LOOKS_LATE,
      ['late'],
    );
    const first = await made.office.post({ text: 'This is part one.' });
    await onceRecorded(made.office.root, () => expect(existsSync(join(made.office.root, 'looking'))).toBe(true));
    await goOn(made, first, { text: 'This is part two.' });
    writeFileSync(join(made.office.root, 'looked'), '');
    const { mail } = await made.office.arrival('reply', OWNER);
    expect(mail.text).toContain('Served: part two');
    expect(mail.text).not.toContain('first alone');
    expect(made.model.requests).toHaveLength(2);
    expect(await fates(made)).toEqual(['final', TOGETHER]);
    await identical(made);
  });
});

describe('a run that answers several mails and is worked once more', () => {
  it('answers all of them again', async () => {
    const held = gate();
    const failing = { count: 0 };
    const made = await ada(
      (turn, lastUser): Turn => {
        if (turn === 0 && failing.count === 0) return { text: 'An answer to the first alone.', until: held.until };
        failing.count += 1;
        return failing.count === 1 ? { text: 'NOTHING' } : { text: `Served: ${lastUser.match(/\bpart \w+/g)}` };
      },
      { 'configs/prompts/system.md': 'Say NOTHING where a mail needs no answer.' },
    );
    const first = await made.office.post({ text: 'This is part one.' });
    await asked(made, 1);
    await goOn(made, first, { text: 'This is part two.' });
    held.open();
    await onceRecorded(made.office.root, async () => expect(await fates(made)).toEqual(['silent:nothing', TOGETHER]));
    const [{ id }] = await runs(made);
    expect((await made.office.cli('runs', 'retry', id)).code).toBe(0);
    const { mail } = await made.office.arrival('reply', OWNER);
    expect(mail.text).toContain('Served: part one,part two');
  });
});

describe('an owner whose own mail is the yes, and who writes again', () => {
  const COUNTS = {
    'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0, own_words: 'count' } },
  };
  /** The first answer waits; then the model writes to Carl. */
  const writing =
    (until: Promise<void>): Says =>
    (turn) => {
      if (turn === 0) return { text: 'An answer to the first alone.', until };
      return turn === 1 ? { calls: [{ name: 'send_email', arguments: MAIL_TO_CARL }] } : { text: 'Carl has it.' };
    };

  it('is not asked where the newest mail asks for it', async () => {
    const held = gate();
    const made = await ada(writing(held.until), COUNTS);
    const first = await made.office.post({ subject: 'Offer', text: 'Good morning.' });
    await asked(made, 1);
    await goOn(made, first, { subject: 'Re: Offer', text: `Please write to ${CARL}.` });
    held.open();
    expect((await made.office.arrival('reply', OWNER)).mail.text).toContain('because you asked');
    expect(await made.office.left('approval')).toEqual([]);
    await identical(made);
  });

  it('is asked where an earlier one does, since what came behind it may have taken that back', async () => {
    const held = gate();
    const made = await ada(writing(held.until), COUNTS);
    const first = await made.office.post({ text: `Please write to ${CARL}.` });
    await asked(made, 1);
    await goOn(made, first, { text: 'On second thoughts, leave it.' });
    held.open();
    await made.office.arrival('approval', OWNER);
    expect(await made.office.states()).toEqual(['pending']);
  });
});
