import { EngineError } from '#contract';
import { decideTaskEnd } from '../../../engine/dispatch/schedule/task-ended.ts';
import { undeliveredNotices } from '../../../engine/record/jobs/notice-job.ts';
import { ANSWERS } from './answer-kinds.ts';
import { FURTHER } from './further-kinds.ts';
import { BOB, CLEAN_UP, calling, held, type Kind, OWNER, request, type Spoken, TO_CAROL } from './kind.ts';
import { openMailOffice } from './office.ts';
import { REPLIES } from './reply-kinds.ts';
import { WAITS } from './waiting-kinds.ts';

const ASKED: readonly Kind[] = [
  { name: 'approval', kind: 'approval', model: calling([{ name: 'send_email', args: TO_CAROL }]), happens: held },
  {
    name: 'approval-several',
    kind: 'approval',
    model: calling([
      {
        name: 'send_email',
        args: {
          ...TO_CAROL,
          to: ['carol@test.local', 'dave@test.local'],
          cc: ['eve@test.local'],
          attachments: ['menu.txt'],
        },
      },
      { name: 'edit_file', args: { path: 'notes/lunch.md', old_text: 'at 13', new_text: 'at 12' } },
      { name: 'shell', args: { command: 'ls -la notes' } },
    ]),
    happens: async (office, say) => {
      office.put('menu.txt', 'Soup\nCake\n');
      office.put('notes/lunch.md', '# Lunch\n\nLunch is at 13.\n');
      await held(office, say);
    },
  },
  {
    name: 'approval-schedule',
    kind: 'approval',
    model: calling([
      {
        name: 'schedule_task',
        args: {
          action: 'create',
          task: 'brief',
          name: 'Morning brief',
          schedule: '0 9 * * 1-5',
          prompt: 'Tell me what is new.',
        },
      },
    ]),
    happens: async (office, say) => {
      await office.rig.answer({
        from: OWNER,
        name: 'Olga Berg',
        tier: 'owner',
        subject: 'Brief',
        text: say({
          en: 'Please write me every weekday at nine what is new in the mailbox.',
          de: 'Bitte schreib mir jeden Werktag um neun, was es im Postfach Neues gibt.',
        }),
      });
      await office.work();
    },
  },
  {
    name: 'plan',
    kind: 'approval',
    model: calling([
      {
        name: 'propose_plan',
        args: {
          steps: [
            { tool: 'delete_file', arguments: { path: 'notes/old.md' } },
            { tool: 'delete_file', arguments: { path: 'notes/older.md' } },
          ],
        },
      },
    ]),
    options: { security: { tool_policy: { tools: { shell: 'allow' } } } },
    happens: async (office, say) => {
      office.put('notes/old.md', 'Old.\n');
      office.put('notes/older.md', 'Older.\n');
      await office.rig.answer({ ...BOB, ...request(say, CLEAN_UP) });
      await office.work();
    },
  },
  {
    name: 'question',
    kind: 'clarify',
    model: calling([{ name: 'ask_owner', args: { question: 'May I offer Clara a discount of 5 %?' } }]),
    happens: held,
  },
  {
    name: 'reminder',
    kind: 'notice',
    model: calling([{ name: 'send_email', args: TO_CAROL }]),
    happens: async (office, say) => {
      await held(office, say);
      office.rig.time.now += 24 * 3_600_000;
      await office.work();
    },
  },
  {
    name: 'wait',
    kind: 'wait',
    model: calling([{ name: 'send_email', args: TO_CAROL }]),
    happens: async (office, say) => {
      // Under this name the owner is known.
      await office.rig.answer({ from: OWNER, name: 'Olga Berg', tier: 'owner', text: 'Hello' });
      await held(office, say);
    },
  },
  {
    name: 'undo',
    kind: 'notice',
    options: { security: { tool_policy: { tools: { delete_file: 'allow' } } } },
    model: calling([{ name: 'delete_file', args: { path: 'notes/old.md' } }]),
    happens: async (office, say) => {
      office.put('notes/old.md', 'Old.\n');
      await office.rig.answer({ ...BOB, ...request(say, CLEAN_UP) });
      await office.work();
    },
  },
];

const failing: Kind = {
  name: 'not-answered',
  kind: 'notice',
  model: () => {
    throw new EngineError('bad_request', 'the model refused');
  },
  happens: held,
};

const bounced: Kind['happens'] = async (office, say) => {
  await held(office, say);
  await office.rig.withStore(async (store) => {
    const mail = (await store.listOutbox({ limit: 10 })).find(({ purpose }) => purpose.startsWith('tool:'));
    if (!mail) throw new Error('nothing was sent');
    const at = office.rig.clock.now();
    const failed = [{ address: 'carol@test.local', status: '5.1.1', why: 'refused' } as const];
    await store.addJobs(undeliveredNotices(mail.id, failed, at));
  });
  await office.work();
};

const SENDS: Pick<Kind, 'kind' | 'model' | 'options'> = {
  kind: 'notice',
  options: { security: { tool_policy: { tools: { send_email: 'allow' } } } },
  model: calling([{ name: 'send_email', args: TO_CAROL }]),
};

const taskFails: Kind['happens'] = async (office, say) => {
  const due_at = office.rig.clock.now();
  const time = {
    task: 'brief',
    due_at,
    decision: 'run',
    code: null,
    run_id: 'r1',
    mail_state: null,
    run_status: 'failed',
    outcome: 'failed',
    run_code: 'bad_request',
    snapshot: { name: 'Morning brief', timezone: 'Europe/Berlin' },
  };
  const row = {
    task: 'brief',
    failures: 0,
    incident_at: null,
    told_at: null,
    paused_reason: null,
    pinned: null,
    next_at: due_at + 72_000_000,
  };
  const language = say({ en: 'en', de: 'de' }) as Spoken;
  const { jobs } = decideTaskEnd({ row, time, meant: null } as never, 'run', due_at, language);
  await office.rig.withStore((store) => store.addJobs(jobs));
  await office.work();
};

const NOTICES: readonly Kind[] = [
  failing,
  { name: 'bounce', ...SENDS, to: OWNER, happens: bounced },
  { name: 'bounce-told', ...SENDS, to: BOB.from, happens: bounced },
  { name: 'task-failed', kind: 'notice', model: () => ({ text: '' }), happens: taskFails },
];

export const KINDS: readonly Kind[] = [...REPLIES, ...ASKED, ...ANSWERS, ...NOTICES, ...WAITS, ...FURTHER];

/** The newest mail of a kind as it comes out of these rows; the persona itself speaks the language, too. */
export async function composed(kind: Kind, language: Spoken): Promise<Buffer> {
  const persona = { ...kind.options?.persona, language };
  const office = await openMailOffice(kind.model, { ...kind.options, persona });
  try {
    await kind.happens(office, (words) => words[language]);
    const raw = (await office.written(kind.kind, kind.to)).at(-1);
    if (!raw) throw new Error(`${kind.name}: no ${kind.kind} was written`);
    return raw;
  } finally {
    await office.close();
  }
}
