import { expect, it } from 'vitest';
import { emptyPlaybook } from '../../../engine/learning/refine/subject.ts';
import type { LoadedPlaybook } from '../../../engine/learning/select.ts';
import { selected } from '../../../engine/learning/select.ts';
import { NOON } from '../../storage/world.ts';

const scope = (from: string) => ({
  mail: { from, domain: 'x.example', name: '', subject: 's', text: 't', tier: 'member', attachments: 0 },
  thread: { subject: 's', mails: 1 },
});
const loaded: LoadedPlaybook = {
  loaded: true,
  playbook: {
    ...emptyPlaybook('answer'),
    advice: 'Mia likes it short.',
    stop: [
      { of: 'mail.from', is: 'not_equal', value: 'mia@x.example' },
      { of: 'steps.1.result', is: 'absent' },
    ],
  },
  inForce: {
    version: {
      id: 'v-3',
      kind: 'answer',
      number: 3,
      parent_id: null,
      playbook_json: '{}',
      origin: 'refined',
      tainted: 0,
      score: 1,
      created_at: NOON,
    },
    pinned: false,
    pinIsGone: false,
    outcomes: [],
  },
};
const by = (from: string) => selected('answer', loaded, { override: 'assisted', scope: scope(from), now: NOON });

it('hands a playbook to no mail that it says it is not for, and its run counts for no version', () => {
  expect(by('bob@x.example')).toEqual({
    event: { kind: 'answer', loaded: true, mode: 'none', by: 'outcomes', h: null, version: 3, stopped: true },
    versionId: null,
    pinned: null,
  });
  // What a step has brought is not known yet.
  expect(by('mia@x.example')).toMatchObject({ versionId: 'v-3', pinned: { mode: 'assisted' } });
});
