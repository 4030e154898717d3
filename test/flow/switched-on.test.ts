import { afterAll, expect, it } from 'vitest';
import { templateFiles } from '../../engine/cli/commands/set-up/templates.ts';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { MEMBER, OWNER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

const WISH = 'Remember that my train is at nine';

function answer({ view }: HeardRequest): Turn {
  const isAsked = view.lastUser.includes(WISH) && view.tools.includes('remember');
  if (isAsked && view.results.length === 0)
    return { calls: [{ name: 'remember', arguments: { text: 'The train is at nine', quote: WISH, kind: 'plan' } }] };
  return { text: 'Noted.' };
}

/** A persona with files of a new workspace, or without them, as a workspace of before has none. */
async function officeWith(system: object, inference: object) {
  const model = await startFakeModel('openai', answer);
  open.closing.push(() => model.stop());
  const office = await openOffice({
    'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 } },
    'configs/system.json': { ...system, log: { level: 'warn', format: 'json' } },
    'configs/inference.json': { ...inference, provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    ...STEADY,
  });
  open.closing.push(() => office.close());
  await office.ask('The carpenter Hobbs comes on Thursday to mend the oak staircase.', MEMBER, 'Staircase');
  await office.ask(`${WISH}, please.`, MEMBER, 'Train');
  // Nothing of the last hour is recalled.
  await office.later();
  const { json } = await office.ask('When does the carpenter come for the staircase?', MEMBER, 'A question');
  const asked = model.requests.find(({ view }) => view.lastUser.includes('When does the carpenter'));
  const run = (await office.cli('runs', 'show', json.results[0].run_id)).json.run;
  const { checks } = (await office.cli('doctor', '--harness')).json;
  return {
    lines: Object.fromEntries(checks.map(({ name, message }: { name: string; message: string }) => [name, message])),
    prompt: asked?.raw.toString() ?? '',
    kept: (await office.cli('memory', 'list')).json.facts.map(({ text }: { text: string }) => text),
    playbook: run.events.find(({ type }: { type: string }) => type === 'playbook_selected')?.data ?? null,
  };
}

const shipped = (name: string): object => {
  const { text } = templateFiles().find(({ file }) => file === `configs/${name}.json`) ?? { text: '{}' };
  const { $schema: _, ...settings } = JSON.parse(text);
  return settings;
};

it('a new workspace recalls, keeps what it is asked to keep, and learns; one of before does none of it', async () => {
  const now = await officeWith(shipped('system'), shipped('inference'));
  expect(now.kept).toEqual(['The train is at nine']);
  expect(now.prompt).toContain('mend the oak staircase');
  expect(now.playbook).toMatchObject({ kind: 'answer', loaded: false, reason: 'no_version', mode: 'none' });

  expect(now.lines).toMatchObject({
    'harness:memory': 'recall of earlier mail on; what people ask to be remembered on',
    'harness:stages': expect.stringMatching(/^summarise on; remember off \(`/),
    'harness:playbooks': 'learning on; more than advice off (`epistle config set persona/ID learning.max_mode policy`)',
    'harness:helpers': 'child runs off (`epistle config set persona/ID delegation.enabled true`)',
  });

  const before = await officeWith({}, {});
  expect(before.lines['harness:memory']).toBe(
    'recall of earlier mail off (`epistle config set persona/ID memory.recall true`); what people ask to be remembered off (`epistle config set persona/ID memory.facts true`)',
  );
  expect(before.kept).toEqual([]);
  expect(before.prompt).not.toContain('oak staircase');
  expect(before.playbook).toBeNull();
});
