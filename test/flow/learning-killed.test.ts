import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { someOf } from '../size.ts';
import { epistleAlone, launchGateway, submit } from './gateway.ts';
import { CARL, OWNER } from './governance-rig.ts';
import { openSchool, type School, toolOf } from './learning-rig.ts';

const open: { school?: School } = {};
const school = (): School => {
  if (!open.school) throw new Error('not open');
  return open.school;
};

const TO = 'policy@agents.localhost';
/** Two effects: of the first it is always known whether it was done, of the second nobody may be sure after a kill. */
const bookOf = (number: number) => ({
  steps: [
    {
      tool: 'send_email',
      arguments: { to: [CARL], subject: 'Offer {{mail.word_after Story:}}', body: `by version ${number}` },
    },
    { tool: 'push', arguments: { line: `{{mail.word_after Story:}} ${number}` } },
  ],
  answer: `Done by version ${number}.`,
});

/** Where the playbook leaves a mail to it, the model sends the offer by itself. */
function answer({ view }: HeardRequest): Turn {
  const [, n] = /Tale (\d+)/.exec(view.lastUser) ?? [];
  if (n === undefined || view.results.length > 0) return { text: 'That is all.' };
  const letter = { to: [CARL], subject: `Offer ${n}`, body: 'by the model' };
  return { calls: [{ name: 'send_email', arguments: letter }] };
}

beforeAll(async () => {
  open.school = await openSchool(answer, {
    tools: ['push', 'slow'],
    files: {
      ...toolOf('push', `async run({ line }) { keep(line); return 'pushed'; }`),
      ...toolOf(
        'slow',
        `run: ({ line }, { signal }) => new Promise((_, reject) => {
          keep('begun ' + line);
          signal.addEventListener('abort', () => { keep('aborted ' + line); reject(signal.reason); });
        })`,
        'read',
      ),
    },
  });
  await school().mail('policy', 'Hello.', { from: OWNER });
});
afterAll(() => open.school?.close());

const linesOf = (name: string): string[] => {
  const path = join(school().root, `${name}.log`);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};
const runOf = (n: number) =>
  school().rows<{ id: string; status: string; outcome: string; harness_version_id: string | null }>(
    'policy',
    'select * from runs where message_id = ?',
    `<story-${n}@example.com>`,
  )[0];
const letter = (n: number, word: string): string =>
  [
    ...[`From: ${OWNER}`, `To: ${TO}`, `Subject: About ${n}`, `Message-ID: <story-${n}@example.com>`],
    ...['Date: Sun, 22 Nov 2026 10:00:00 +0000', '', `${word} ${n}`, ''],
  ].join('\r\n');
const typesOf = (run: string): string[] =>
  school()
    .rows<{ type: string }>('policy', 'select type from run_events where run_id = ? order by seq', run)
    .map(({ type }) => type);

/** Of fewer, every fifth is played. `Tale`: a mail that says too little for the steps, so they leave it to the model. */
const LABELS: readonly (readonly [label: string, word: 'Story:' | 'Tale'])[] = [
  ['run.event.playbook_selected', 'Story:'],
  ['run.event.context_built', 'Story:'],
  ['run.event.playbook_step', 'Story:'],
  ['run.event.decision', 'Story:'],
  ['dispatch.claimed', 'Story:'],
  ['run.tool_executed', 'Story:'],
  ['run.event.permission', 'Story:'],
  ['run.event.tool_call_intended', 'Story:'],
  ['run.step_intended', 'Story:'],
  ['run.event.tool_call_ended', 'Story:'],
  ['run.tool_executed:2', 'Story:'],
  ['run.event.observation', 'Story:'],
  ['run.event.playbook_step:2', 'Story:'],
  ['run.step_intended:2', 'Story:'],
  ['run.event.playbook_answer', 'Story:'],
  ['run.event.playbook_left', 'Tale'],
  ['run.event.reply_committed', 'Story:'],
  ['run.event.run_ended', 'Story:'],
  ['run.finished', 'Story:'],
  ['learning.scenario', 'Story:'],
  ['learning.outcome', 'Story:'],
];

describe('a run that works by a playbook, killed at every label', () => {
  const played = someOf(LABELS, 5);

  it.each(played.map(([label, word], n) => ({ label, word, n })))(
    'at $label: one version, one effect',
    async ({ label, word, n }) => {
      await school().stop();
      school().rows('policy', 'delete from playbook_versions returning id');
      school().keep('policy', 1, bookOf(1));
      const dying = launchGateway(school().root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
      const { ready } = await dying.ready;
      // The line may break with the process.
      await submit(school().root, ready, { from: OWNER, to: TO, raw: letter(n, word) }).catch(() => {});
      await dying.death();
      const begun = typesOf(runOf(n)?.id ?? '');
      // Accepted while it was dead: whoever has begun by the first ends by it.
      school().keep('policy', 2, bookOf(2));
      await school().restart();
      const jobs = () => school().rows('policy', `select id from jobs where kind like 'playbook_%'`);
      const outbox = () => school().rows('policy', `select id from outbox where state <> 'sent'`);
      await expect.poll(() => runOf(n)?.status, { timeout: 90_000 }).toBe('done');
      await expect.poll(() => [...jobs(), ...outbox()], { timeout: 90_000 }).toEqual([]);

      const run = runOf(n);
      const used = begun.includes('playbook_selected') ? 'answer-1' : 'answer-2';
      expect(run).toMatchObject({ outcome: 'final', harness_version_id: used });
      const types = typesOf(run?.id ?? '');
      expect(types.filter((type) => type === 'playbook_selected')).toHaveLength(1);
      const offers = (await school().left('reply', CARL)).filter(({ mail }) => mail.subject === `Offer ${n}`);
      const by = word === 'Tale' ? 'by the model' : `by version ${used.slice(-1)}`;
      expect(offers.map(({ mail }) => mail.text?.split('\n')[0])).toEqual([by]);
      const pushed = linesOf('push').filter((line) => line.startsWith(`${n} `));
      const results = school()
        .events('policy', run?.id ?? '', 'observation')
        .filter(({ tool }) => tool === 'push');
      const isKnown = results.every(({ ok }) => ok);
      expect(pushed.length).toBeLessThanOrEqual(1);
      if (word === 'Story:' && isKnown) expect(pushed).toEqual([`${n} ${used.slice(-1)}`]);
      if (!isKnown) expect(results.map(({ code }) => code)).toEqual(['side_effect_unknown']);
      const replies = (await school().left('reply', OWNER)).filter(
        ({ mail }) => mail.inReplyTo === `<story-${n}@example.com>`,
      );
      expect(replies).toHaveLength(1);
      expect(school().rows('policy', 'select version_id from playbook_outcomes where run_id = ?', run?.id)).toEqual([
        { version_id: used },
      ]);
      const examples = school().rows('policy', 'select id from playbook_scenarios where run_id = ?', run?.id);
      expect(examples).toHaveLength(1);
    },
  );

  it('a version that is pinned is pinned whatever becomes of the command', async () => {
    const environment = { NODE_ENV: 'test', EPISTLE_CRASH_AT: 'learning.pinned' };
    const { code } = await epistleAlone(school().root, ['learn', 'use', 'policy', 'answer', 'v1'], { environment });
    expect(code).toBeNull();
    expect(school().rows('policy', 'select version_id from playbook_pins')).toEqual([{ version_id: 'answer-1' }]);
    const { result } = await school().mail('policy', 'Story: 900', { from: OWNER });
    expect(result.reply.text).toContain('Done by version 1.');
    await school().cli('learn', 'use', 'policy', 'answer', '--newest');
  });

  it('H-29: an owner who cancels during a step is heard by the step, and nothing follows', async () => {
    const steps = [
      { tool: 'slow', arguments: { line: 'cancelled' } },
      { tool: 'push', arguments: { line: 'never' } },
    ];
    school().keep('policy', 3, { steps, answer: 'Done.' });
    const asked = school().mail('policy', 'Wait.', { from: OWNER, subject: 'Cancelled' });
    await expect.poll(() => linesOf('slow'), { timeout: 90_000 }).toEqual(['begun cancelled']);
    const sql = `select id from runs where harness_version_id = 'answer-3'`;
    const [run] = school().rows<{ id: string }>('policy', sql);
    expect((await school().cli('runs', 'cancel', run?.id ?? '')).code).toBe(0);
    const { result, requests } = await asked;
    expect(result).toMatchObject({ status: 'cancelled' });
    expect(requests).toEqual([]);
    await expect.poll(() => linesOf('slow'), { timeout: 90_000 }).toEqual(['begun cancelled', 'aborted cancelled']);
    expect(linesOf('push')).not.toContain('never');
    expect(school().events('policy', run?.id ?? '', 'playbook_step')).toHaveLength(1);
  });
});
