import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER } from '../governance-rig.ts';
import { openPersonaDb } from '../persona-db.ts';
import { onceRecorded } from '../record.ts';
import { EVE, mailCall, type OwnWordsOffice, openOwnWords, TIM } from './rig.ts';

const FILES = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt', 'f.txt', 'kept.txt', 'old/kept.txt'];

let office: OwnWordsOffice;
beforeAll(async () => {
  office = await openOwnWords(
    {},
    Object.fromEntries(FILES.map((name) => [`data/personas/ada/files/${name}`, `The words of ${name}\n`])),
  );
});
afterAll(() => office.close());

const deletion = (path: string) => ({ name: 'delete_file', arguments: { path } });
const reminder = (more: object = {}) => ({
  name: 'schedule_task',
  arguments: {
    action: 'create',
    task: 'call-tim',
    schedule: 'at 2030-01-05T09:00',
    prompt: 'Remind me to call Tim.',
    ...more,
  },
});

const fileOf = (path: string) => readFileSync(join(office.root, 'data/personas/ada/files', path), 'utf8');

describe('what stays with an owner', () => {
  it('is done without a question: a reminder of theirs', async () => {
    const { run, verdicts } = await office.told('Remind me', 'Remind me on 5 January 2030 at nine to call Tim.', [
      reminder(),
    ]);
    expect(verdicts).toMatchObject([{ verdict: 'allow', by: 'own words', own: { kind: 'stays' } }]);
    expect(run.status).toBe('done');
  });

  it('is asked about where it goes to somebody else, or changes what is there', async () => {
    const others = await office.told('Remind her', `Remind ${EVE} to call Tim.`, [
      reminder({ task: 'hers', deliver: EVE }),
    ]);
    expect(others.verdicts[0]).toMatchObject({ verdict: 'approve', own: { verdict: 'asks', why: 'kind' } });
    // A task that was made is known once the gateway has read its file.
    await onceRecorded(office.root, async () => {
      const db = openPersonaDb(office.root, 'ada');
      try {
        expect(db.tasks()).toContainEqual({ task: 'call-tim' });
      } finally {
        db.close();
      }
    });
    const paused = await office.told('Pause it', 'Pause call-tim.', [
      { name: 'schedule_task', arguments: { action: 'pause', task: 'call-tim' } },
    ]);
    expect(paused.verdicts[0]).toMatchObject({ verdict: 'approve', own: { why: 'kind' } });
  });
});

describe('what can be taken back', () => {
  it('is done without a question where they named it, up to five in a run, and can be taken back', async () => {
    const names = FILES.slice(0, 6);
    const { verdicts, run } = await office.told('Delete them', `Delete ${names.join(', ')}.`, names.map(deletion));
    expect(verdicts.map(({ by }) => by)).toEqual([...Array(5).fill('own words'), 'risk destructive']);
    expect(verdicts.at(-1)?.own).toEqual({ verdict: 'asks', why: 'often' });
    expect(run.status).toBe('waiting_approval');
    expect(() => fileOf('a.txt')).toThrow();
    expect(fileOf('f.txt')).toBe('The words of f.txt\n');
    await office.answer(await office.arrival('notice', OWNER), 'undo 1');
    await expect.poll(() => fileOf('a.txt'), { timeout: 20_000 }).toBe('The words of a.txt\n');
  });

  it('is asked about where they did not name it, also where they named one of the same name', async () => {
    const other = await office.told('Delete another', 'Delete old/kept.txt.', [deletion('kept.txt')]);
    expect(other.verdicts[0]).toMatchObject({ verdict: 'approve', own: { why: 'name' } });
    expect(fileOf('kept.txt')).toBe('The words of kept.txt\n');
  });
});

describe('ten such acts within an hour', () => {
  it('are the most; about the next one owners are asked', async () => {
    // One reminder and five deletions were made before.
    for (const part of ['first', 'second']) {
      const calls = [1, 2, 3].map((n) => mailCall(TIM, { subject: `${part} ${n}` }));
      await office.told(`The ${part} part`, `Tell ${TIM} that we meet.`, calls);
    }
    await office.arrives(TIM, 'second 1');
    expect(await office.reached(TIM, 'second 2')).toBe(0);
  });
});
