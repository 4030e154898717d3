import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { doing, type Modelled, openModelled } from './office-with-model.ts';

// Each is a story of several processes: a gateway, its restarts, and a command line call for every look.
const open: { made?: Modelled } = {};
afterEach(() => open.made?.close());

const remove = doing({ name: 'delete_file', arguments: { path: 'old/draft.txt' } });
const TEXT = 'A draft.\r\nWith an odd end \u0000';

async function deleted(): Promise<Modelled> {
  const made = await openModelled(remove);
  open.made = made;
  made.put('old/draft.txt', TEXT);
  expect((await made.office.ask('Delete the draft.')).code).toBe(3);
  const notice = await made.office.arrival('approval', OWNER);
  expect(notice.mail.text).toContain('old/draft.txt');
  expect(notice.mail.text).toContain('It is kept for 7 days');
  expect(made.read('old/draft.txt')).toBe(TEXT);
  await made.office.answer(notice, 'approve');
  await made.office.arrival('reply', MEMBER);
  return made;
}

it('V-15: a deletion names its target and how to undo it, and the undo brings it back byte for byte', async () => {
  const made = await deleted();
  expect(made.read('old/draft.txt')).toBeNull();
  const done = await made.office.arrival('notice', OWNER);
  expect(done.mail.text).toContain('old/draft.txt');
  expect(done.mail.text).toContain('Reply "undo"');
  await made.office.restart();
  expect(await made.office.codeOf(await made.office.answer(done, 'undo', { from: MEMBER }))).toBe(
    'approval_not_authorised',
  );
  const answered = await made.office.answer(done, 'Undo, please.');
  expect(await made.office.codeOf(answered)).toBe('approval_answer');
  const undone = await made.office.arrival('notice', OWNER, 2);
  expect(undone.mail.subject).toContain('Undone: old/draft.txt');
  expect(made.read('old/draft.txt')).toBe(TEXT);
  const events = (await made.office.cli('audit')).json.audit.map(({ event }: { event: string }) => event);
  expect(events).toEqual(expect.arrayContaining(['undo_requested', 'undo']));
  // Once more changes nothing, and what the owner writes below it is mail like any other.
  await made.office.answer(done, 'undo');
  const id = await made.office.answer(done, 'Why did you delete it at all?');
  expect((await made.office.cli('why', id)).json.entries[0].decision).toBe('accepted');
});

it('V-15: an undo on the command line never overwrites what has come since, and can be tried again', async () => {
  const made = await deleted();
  made.put('old/draft.txt', 'newer');
  const [approval] = (await made.office.cli('approvals', 'list')).json.approvals;
  expect(await made.office.cli('approvals', 'undo', approval.id)).toMatchObject({ code: 0 });
  const told = await made.office.arrival('notice', OWNER, 2);
  expect(told.mail.text).toContain('something newer stands');
  expect(made.read('old/draft.txt')).toBe('newer');
  expect(readdirSync(join(made.office.root, 'data/personas/ada/undo'))).toHaveLength(1);
  rmSync(join(made.office.root, 'data/personas/ada/files/old/draft.txt'));
  expect(await made.office.cli('approvals', 'undo', approval.id)).toMatchObject({ code: 0 });
  const undone = await made.office.arrival('notice', OWNER, 3);
  expect(undone.mail.subject).toContain('Undone: old/draft.txt');
  expect(made.read('old/draft.txt')).toBe(TEXT);
});

const removing = (count: number) =>
  doing(...Array.from({ length: count }, (_, n) => ({ name: 'delete_file', arguments: { path: `old/n${n}.txt` } })));

async function asked(count: number): Promise<Modelled> {
  const made = await openModelled(removing(count));
  open.made = made;
  for (let n = 0; n < count; n += 1) made.put(`old/n${n}.txt`, TEXT);
  expect((await made.office.ask(`Delete the ${count} old files.`)).code).toBe(3);
  return made;
}

it('N9: twelve deletions of one turn are asked for in one question, and one yes does them all', async () => {
  const made = await asked(12);
  const [notice, ...others] = await made.office.left('approval', OWNER);
  expect(others).toEqual([]);
  if (!notice) throw new Error('nobody was asked');
  expect(notice.mail.text?.match(/old\/n\d+\.txt/g)).toEqual(expect.arrayContaining(['old/n0.txt', 'old/n11.txt']));
  await made.office.answer(notice, 'yes');
  const reply = await made.office.arrival('reply', MEMBER);
  expect(Array.from({ length: 12 }, (_, n) => made.read(`old/n${n}.txt`))).toEqual(Array(12).fill(null));
  expect(reply.mail.text).not.toContain('Not done');
});

it('N9: what is more than a run may do is said to be left', async () => {
  const made = await asked(26);
  const [notice, ...others] = await made.office.left('approval', OWNER);
  expect(others).toEqual([]);
  if (!notice) throw new Error('nobody was asked');
  await made.office.answer(notice, 'yes');
  const reply = await made.office.arrival('reply', MEMBER);
  expect(made.read('old/n23.txt')).toBeNull();
  expect(made.read('old/n24.txt')).not.toBeNull();
  expect(reply.mail.text).toContain('old/n25.txt (more than I do at once; ask me for the rest)');
});
