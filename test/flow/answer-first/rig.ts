import { createHash } from 'node:crypto';
import type { ScriptedCall } from '../../fakes/model-script.ts';
import { startFakeModel } from '../../fakes/model-server.ts';
import { atRest } from '../at-rest.ts';
import { type launchOffice, MEMBER, OWNER, openOffice, type Sent } from '../governance-rig.ts';
import { openPersonaDb, type RunView } from '../persona-db.ts';
import { onceRecorded } from '../record.ts';
import { STEADY } from '../workspace.ts';

export const BOB = 'bob@elsewhere.example';

export const mailCall = (subject: string, more: object = {}): ScriptedCall => ({
  name: 'send_email',
  arguments: { to: [BOB], subject, body: `Dear Bob, ${subject}.`, ...more },
});

export const deletion = (path: string): ScriptedCall => ({ name: 'delete_file', arguments: { path } });

/** What a model does in one turn: calls, or words, or words once something has come true; no words at all where it waits. */
type Turn = readonly ScriptedCall[] | string | { readonly text: string; readonly until: Promise<unknown> };

/** Hundreds of mails of one sender. */
const UNBOUNDED = {
  max_replies_per_sender_per_hour: 0,
  max_replies_per_thread_per_hour: 0,
  max_fast_replies: 0,
};

const AT_REST = new Set(['done', 'failed', 'cancelled', 'waiting_approval']);

export type AnswerFirst = Awaited<ReturnType<typeof openAnswerFirst>>;

/** A gateway whose answers do not wait for what owners are asked about; its model does what a test says for each mail. */
export async function openAnswerFirst(
  files: Readonly<Record<string, string | object>> = {},
  approvals: object = {},
  start: typeof openOffice | typeof launchOffice = openOffice,
) {
  const scripts = new Map<string, readonly Turn[]>();
  const firstTurns = new Map<string, number>();
  const results = new Map<string, readonly string[]>();
  const model = await startFakeModel('openai', ({ view }) => {
    const { lastUser, turn } = view;
    const [key, script = []] = [...scripts].findLast(([wanted]) => lastUser.includes(wanted)) ?? [''];
    const first = firstTurns.get(key) ?? turn;
    firstTurns.set(key, first);
    results.set(key, [...(results.get(key) ?? []), ...view.results.map(({ content }) => content)]);
    const next = script[turn - first] ?? 'That is all.';
    if (typeof next === 'string') return { text: next };
    return 'until' in next ? next : { calls: next };
  });
  const office = await start({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0, answer: 'now', ...approvals },
      loop_guard: UNBOUNDED,
    },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    ...STEADY,
    ...files,
  });
  const { root } = office;

  const reading = <Found>(look: (db: ReturnType<typeof openPersonaDb>) => Found): Found => {
    const db = openPersonaDb(root, 'ada');
    try {
      return look(db);
    } finally {
      db.close();
    }
  };
  const runsOf = (messageId: string): readonly RunView[] =>
    reading((db) => db.runs().filter(({ message_id }) => message_id === messageId));

  return {
    ...office,
    model,
    reading,
    runsOf,
    results: (subject: string) => results.get(subject) ?? [],
    script: (subject: string, ...turns: readonly Turn[]) => void scripts.set(subject, turns),
    /** Somebody writes, and the run of the mail comes to rest. */
    async asks(subject: string, turns: readonly Turn[], mail: Parameters<typeof office.post>[0] = {}) {
      scripts.set(subject, turns);
      const messageId = await office.post({
        from: MEMBER,
        subject,
        text: `Please see to it with ${BOB}: ${subject}`,
        ...mail,
      });
      const run = await onceRecorded(root, () => {
        const [found] = runsOf(messageId);
        if (found === undefined || !AT_REST.has(found.status)) throw new Error(`at work: ${found?.status}`);
        return found;
      });
      await atRest(root);
      return { messageId, run };
    },
    /** The mail that asks owners about something, by a word of it. */
    questionAbout: (text: string, not: readonly string[] = []): Promise<Sent> =>
      onceRecorded(root, async () => {
        const asked = (await office.left('approval')).filter(({ mail }) => mail.text?.includes(text));
        const found = asked.findLast(({ mail }) => !not.includes(mail.messageId ?? ''));
        if (found === undefined) throw new Error(`nobody was asked about ${text}`);
        return found;
      }),
    /** Answers of the gateway in the conversation of this mail, oldest first, by what the outbox calls them. */
    answersTo: (messageId: string) =>
      reading((db) => {
        const ids = new Set(runsOf(messageId).map(({ id }) => id));
        return db
          .outbox()
          .filter(({ run_id, purpose }) => ids.has(run_id) && ['final', 'follow_up', 'so_far'].includes(purpose));
      }),
    /** Of the newest question that this mail led to. */
    stateOf: (messageId: string): string | undefined =>
      reading((db) => db.approvalsOf(runsOf(messageId).map(({ id }) => id)).at(-1)?.state),
    textsTo: async (to: string): Promise<readonly string[]> =>
      (await office.left('reply', to)).map(({ mail }) => mail.text ?? ''),
    /** Everything of a mail's runs comes out of its record as it went in. */
    async replays(messageId: string): Promise<readonly unknown[]> {
      const found: unknown[] = [];
      for (const { id } of runsOf(messageId)) {
        const { json } = await office.cli('runs', 'replay', id);
        if (json.replay?.identical !== true) found.push(json);
      }
      return found;
    },
    hashOf: (text: string) => createHash('sha256').update(text).digest('hex'),
    async close() {
      await office.close();
      await model.stop();
    },
  };
}
