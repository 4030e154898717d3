import { clarify } from '../../../engine/record/jobs/job-kinds.ts';
import { BOB, CLEAN_UP, calling, held, type Kind, request, TO_CAROL } from './kind.ts';
import type { MailOffice } from './office.ts';

// What an owner gets whose answer could not be acted on, or came too late.

type About = ReturnType<(typeof clarify)['read']>['about'];
type Say = Parameters<Kind['happens']>[1];

/** An answer to the newest notice, as far as it is understood. */
const answered =
  (about: About, happens: Kind['happens'] = held): Kind['happens'] =>
  async (office, say) => {
    await happens(office, say);
    await ask(office, say, about);
  };

async function ask(office: MailOffice, say: Say, about: About): Promise<void> {
  const { rig } = office;
  const language = say({ en: 'en', de: 'de' }) === 'de' ? ('de' as const) : ('en' as const);
  await rig.withStore(async (store) => {
    const notice = (await store.listApprovals({ limit: 10 })).find(({ notice_id }) => notice_id !== null)?.notice_id;
    const payload = { to: 'owner@example.com', notice_id: notice ?? '', language, about } as const;
    await store.addJobs([clarify.job({ id: 'clarify:a', due_at: rig.clock.now(), payload })]);
  });
  await office.work();
}

const unclear = (why: string, detail: string | null = null) => ({ kind: 'unclear' as const, why, detail });

const cleanUp: Kind['happens'] = async (office, say) => {
  office.put('notes/old.md', 'Old.\n');
  office.put('notes/older.md', 'Older.\n');
  await office.rig.answer({ ...BOB, ...request(say, CLEAN_UP) });
  await office.work();
};

const DELETES = ['notes/old.md', 'notes/older.md'];
const sends = calling([{ name: 'send_email', args: TO_CAROL }]);

export const ANSWERS: readonly Kind[] = [
  { name: 'unclear', kind: 'clarify', model: sends, happens: answered(unclear('question')) },
  {
    name: 'unclear-several',
    kind: 'clarify',
    model: calling([
      { name: 'send_email', args: TO_CAROL },
      { name: 'edit_file', args: { path: 'notes/lunch.md', old_text: 'at 13', new_text: 'at 12' } },
    ]),
    happens: answered(unclear('which'), async (office, say) => {
      office.put('notes/lunch.md', '# Lunch\n\nLunch is at 13.\n');
      await held(office, say);
    }),
  },
  {
    name: 'unclear-plan',
    kind: 'clarify',
    options: { security: { tool_policy: { tools: { shell: 'allow' } } } },
    model: calling([
      {
        name: 'propose_plan',
        args: { steps: DELETES.map((path) => ({ tool: 'delete_file', arguments: { path } })) },
      },
    ]),
    happens: answered(unclear('plan_edit'), cleanUp),
  },
  {
    name: 'unclear-question',
    kind: 'clarify',
    model: calling([{ name: 'ask_owner', args: { question: 'May I offer Clara a discount of 5 %?' } }]),
    happens: answered(unclear('no_words')),
  },
  {
    name: 'edit-refused',
    kind: 'clarify',
    model: sends,
    happens: answered(unclear('edit_refused', 'invalid_arguments: to: Invalid input: expected array, received string')),
  },
  {
    name: 'late-answer',
    kind: 'clarify',
    model: sends,
    happens: async (office, say) => {
      await held(office, say);
      await office.decide('approved');
      office.rig.time.now += 20 * 60_000;
      await ask(office, say, { kind: 'late' });
    },
  },
];
