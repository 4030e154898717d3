import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { doing, type Modelled, openModelled, type Says } from './acceptance/office-with-model.ts';
import { MEMBER, OWNER } from './governance-rig.ts';

// An owner says yes, and what it was about is not there any more: the owner hears that nothing came of it, and whoever asked
// is told what happened and not that a rule forbids it.

const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

async function ada(says: Says, files: readonly string[], more: Readonly<Record<string, object>> = {}) {
  const made = await openModelled(says, more);
  open.made = made;
  for (const name of files) made.put(name, `This is ${name}.`);
  return made;
}

const remove = (path: string) => ({ name: 'delete_file', arguments: { path } });
const gone = ({ office }: Modelled, name: string) => rmSync(join(office.root, 'data/personas/ada/files', name));
const identical = async ({ office }: Modelled) => {
  const [run] = (await office.cli('runs', 'list')).json.runs;
  expect((await office.cli('runs', 'replay', run.id)).json.replay).toMatchObject({ identical: true });
};

describe('a yes that comes to nothing', () => {
  it('since the file is gone: the owner is told, and the sender reads what happened', async () => {
    const made = await ada(doing(remove('a.txt')), ['a.txt']);
    await made.office.ask('Please delete a.txt.');
    const question = await made.office.arrival('approval', OWNER);
    gone(made, 'a.txt');
    await made.office.answer(question, 'yes');
    const { mail: reply } = await made.office.arrival('reply', MEMBER);
    expect(reply.text).toContain('Not done: delete a.txt (was approved, but had changed by then)');
    expect(reply.text).not.toContain('rule');
    const { mail: told } = await made.office.arrival('notice', OWNER);
    expect(told.subject).toBe('[Ada] Not done after your yes: "A request"');
    expect(told.text).toContain(`"A request" (${MEMBER})`);
    expect(told.text).toContain('delete a.txt (was approved, but had changed by then)');
    expect(await made.office.states()).toEqual(['stale']);
    expect(await made.office.left('notice', OWNER)).toHaveLength(1);
    await identical(made);
  });

  it('for two calls that were asked about as one plan: nothing of it is done, and both are named', async () => {
    const made = await ada(doing(remove('a.txt'), remove('b.txt')), ['a.txt', 'b.txt']);
    await made.office.ask('Please delete both.');
    const question = await made.office.arrival('approval', OWNER);
    gone(made, 'b.txt');
    await made.office.answer(question, 'yes');
    const { mail: reply } = await made.office.arrival('reply', MEMBER);
    const line =
      'Not done: delete a.txt (was approved, but had changed by then) · delete b.txt (was approved, but had changed by then)';
    expect(reply.text?.replaceAll(/\s+/g, ' ')).toContain(line);
    const { mail: told } = await made.office.arrival('notice', OWNER);
    expect(told.text?.replaceAll(/\s+/g, ' ')).toContain(line);
    expect(made.read('a.txt')).not.toBeNull();
    await identical(made);
  });

  it('since an earlier one of the same mail failed: of all that was not done, in one notice', async () => {
    const mailed = (to: string) => ({
      name: 'send_email',
      arguments: { to: [to], subject: 'Offer', body: 'Dear all' },
    });
    const made = await ada(doing(remove('a.txt'), mailed('carl@elsewhere.example')), ['a.txt']);
    await made.office.ask('Please delete a.txt, then write to Carl.');
    const question = await made.office.arrival('approval', OWNER);
    gone(made, 'a.txt');
    await made.office.answer(question, 'approve all');
    await made.office.arrival('reply', MEMBER);
    const { mail: told } = await made.office.arrival('notice', OWNER);
    expect(told.text).toContain('delete a.txt');
    expect(told.text).toContain('carl@elsewhere.example');
    expect(await made.office.left('notice', OWNER)).toHaveLength(1);
  });
});

describe('a yes after which nobody is told a second time', () => {
  it('of an owner who asked for it: their answer says it', async () => {
    const made = await ada(doing(remove('a.txt')), ['a.txt']);
    await made.office.ask('Please delete a.txt.', OWNER);
    const question = await made.office.arrival('approval', OWNER);
    gone(made, 'a.txt');
    await made.office.answer(question, 'yes');
    const { mail: reply } = await made.office.arrival('reply', OWNER);
    expect(reply.text).toContain('was approved, but had changed by then');
    expect(await made.office.left('notice', OWNER)).toEqual([]);
  });

  it('that was followed, and a no', async () => {
    const made = await ada(doing(remove('a.txt')), ['a.txt']);
    await made.office.ask('Please delete a.txt.');
    await made.office.answer(await made.office.arrival('approval', OWNER), 'yes');
    await made.office.arrival('reply', MEMBER);
    made.put('a.txt', 'This is a.txt.');
    await made.office.ask('Please delete a.txt.', MEMBER, 'Again');
    await made.office.answer(await made.office.arrival('approval', OWNER, 2), 'no');
    await made.office.arrival('reply', MEMBER, 2);
    const subjects = (await made.office.left('notice', OWNER)).map(({ mail }) => mail.subject);
    expect(subjects.filter((subject) => subject?.startsWith('Not done'))).toEqual([]);
  });
});
