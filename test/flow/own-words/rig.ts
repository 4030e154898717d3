import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import type { Json } from '#contract';
import type { ScriptedCall } from '../../fakes/model-script.ts';
import { startFakeModel } from '../../fakes/model-server.ts';
import { atRest } from '../at-rest.ts';
import { readOutgoing } from '../gateway.ts';
import { ADA, OWNER, openOffice } from '../governance-rig.ts';
import { type EventView, openPersonaDb } from '../persona-db.ts';
import { onceRecorded } from '../record.ts';
import { STEADY } from '../workspace.ts';

export const TIM = 'tim@elsewhere.example';
export const LENA = 'lena@elsewhere.example';
export const EVE = 'eve@outside.example';

export const mailCall = (to: string | readonly string[], more: Json = {}): ScriptedCall => ({
  name: 'send_email',
  arguments: { to: [to].flat(), subject: 'Tomorrow', body: 'We meet at three.', ...Object(more) },
});

/** A mail as a program of the owner's writes it, with whatever it carries. */
export const composed = (mail: ConstructorParameters<typeof MailComposer>[0]): Promise<Buffer> =>
  new MailComposer({ from: OWNER, to: ADA, ...mail }).compile().build();

/** By which the gateway knows it. */
export const idOf = (raw: Buffer): string => /^message-id: (\S+)/im.exec(raw.toString('latin1'))?.[1] ?? '';

export interface Verdict {
  readonly tool: string;
  readonly verdict: string;
  readonly by: string;
  readonly own: {
    readonly verdict: string;
    readonly why?: string;
    readonly kind?: string;
    readonly words?: string[];
  } | null;
}

export type OwnWordsOffice = Awaited<ReturnType<typeof openOwnWords>>;

/** A gateway where an owner's own words count, with a model that makes the calls which a test gives it for a mail. */
export async function openOwnWords(security: object = {}, files: Readonly<Record<string, string | object>> = {}) {
  /** By the subject of the mail: the calls of each turn. */
  const scripts = new Map<string, readonly (readonly ScriptedCall[])[]>();
  const firstTurns = new Map<string, number>();
  const model = await startFakeModel('openai', ({ view: { lastUser, turn } }) => {
    // Below that stand subjects of other mails that are open with the same people.
    const [mail = ''] = lastUser.replaceAll('\\"', '"').split('\nOpen with these people:');
    const [subject, script = []] = [...scripts].findLast(([wanted]) => mail.includes(wanted)) ?? [''];
    // Turns before this mail are of earlier mails of its thread.
    const first = firstTurns.get(subject) ?? turn;
    firstTurns.set(subject, first);
    const calls = script[turn - first];
    return calls === undefined ? { text: 'That is done.' } : { calls };
  });
  const office = await openOffice({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0, own_words: 'count' },
      ...security,
    },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    ...STEADY,
    ...files,
    'extensions/extensions.json': {
      providers: [{ name: 'steady', config: { base_url: model.baseUrl } }],
      ...Object(files['extensions/extensions.json']),
    },
  });
  const { root } = office;

  const verdictsOf = (runId: string): readonly Verdict[] => {
    const db = openPersonaDb(root, 'ada');
    try {
      return db
        .events(runId)
        .filter(({ type }) => type === 'permission')
        .map(({ data: { tool, verdict, by, asked } }: EventView) => ({
          tool,
          verdict,
          by,
          own: asked?.ownWords ?? null,
        }));
    } finally {
      db.close();
    }
  };

  async function countOf(address: string, subject: string): Promise<number> {
    const folder = join(root, 'data/outgoing');
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
    const mails = await Promise.all(names.map((name) => readOutgoing(join(folder, name))));
    return mails.filter(({ mail, envelopeTo }) => envelopeTo.includes(address) && mail.subject === subject).length;
  }

  /** The newest run of a mail once it is over or waits, with what the governor said of its calls. */
  const settled = (messageId: string, isNewer: (id: string) => boolean = () => true) =>
    onceRecorded(root, async () => {
      const db = openPersonaDb(root, 'ada');
      try {
        const run = db.runs().findLast(({ message_id, id }) => message_id === messageId && isNewer(id));
        if (run === undefined || !['done', 'failed', 'cancelled', 'waiting_approval'].includes(run.status))
          throw new Error(`not settled: ${run?.status}`);
        return { run, verdicts: verdictsOf(run.id) };
      } finally {
        db.close();
      }
    });

  /** Of the calls of a run that came to nothing. */
  const codesOf = (runId: string): readonly string[] => {
    const db = openPersonaDb(root, 'ada');
    try {
      return db.events(runId).flatMap(({ type, data }) => (type === 'tool_call_ended' && !data.ok ? [data.code] : []));
    } finally {
      db.close();
    }
  };

  return {
    ...office,
    codesOf,
    settled,
    verdictsOf,
    /** What the model was asked. */
    requests: model.requests,
    /** What the model is to do with the mail of that subject. */
    script: (subject: string, ...turns: readonly (readonly ScriptedCall[])[]) => void scripts.set(subject, turns),
    /** The owner writes, the model makes these calls, and that is waited for. */
    async told(
      subject: string,
      text: string,
      calls: readonly ScriptedCall[],
      more: Parameters<typeof office.post>[0] = {},
    ) {
      scripts.set(subject, [calls]);
      return settled(await office.post({ subject, text, ...more }));
    },
    /** The mail that asks an owner about something, by what it says. */
    questionAbout: (text: string) =>
      onceRecorded(root, async () => {
        const found = (await office.left('approval')).find(({ mail }) => mail.text?.includes(text));
        if (found === undefined) throw new Error('nobody was asked');
        return found;
      }),
    /** Once the governor has been asked so often in the run of a mail. */
    whenAsked: (messageId: string, count: number) =>
      onceRecorded(root, async () => {
        const found = await settled(messageId);
        if (found.verdicts.length < count || found.run.status === 'queued') throw new Error('not asked yet');
        return found;
      }),
    /** The same with a mail as it stands. */
    async toldRaw(subject: string, raw: Buffer, calls: readonly ScriptedCall[]) {
      scripts.set(subject, [calls]);
      await office.post({ raw });
      return settled(idOf(raw));
    },
    /** How many mails with that subject have left to somebody, once all is tried that follows from what has happened. */
    async reached(address: string, subject: string): Promise<number> {
      await atRest(root);
      return countOf(address, subject);
    },
    /** Resolves when one has. */
    arrives: (address: string, subject: string) =>
      onceRecorded(root, async () => {
        if ((await countOf(address, subject)) !== 1) throw new Error(`no mail "${subject}" to ${address}`);
      }),
    async close() {
      await office.close();
      await model.stop();
    },
  };
}
