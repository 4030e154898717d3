import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Turn } from '../../fakes/model-script.ts';
import { someOf } from '../../size.ts';
import { OWNER } from '../governance-rig.ts';
import { ANSWER, authorOf, idOf, MAILS, NUMBERS, openWaiting, SHORT, SOON, type Waiting } from './rig.ts';

const opened: Waiting[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((rig) => rig.close()));
});

type Options = NonNullable<Parameters<typeof openWaiting>[0]>;
async function open(options: Options): Promise<Waiting> {
  const rig = await openWaiting(options);
  opened.push(rig);
  return rig;
}

const inference = (more: object = {}) => ({
  'configs/inference.json': { provider: 'steady', model: 'm', retry: SHORT, ...more },
});
const security = (approvals: object = {}) => ({
  'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0, ...approvals } },
});
const gateway = (limits: object = {}) => ({ 'configs/gateway.json': { smtp_listener: { port: 0 }, limits } });

/** A tool that takes longer than it may, and than a mail takes. */
const LINGER = {
  'extensions/tools/linger/manifest.json': {
    name: 'linger',
    kind: 'tool',
    api: 1,
    summary: 'Lingers',
    entry: 'index.mjs',
  },
  'extensions/tools/linger/index.mjs': `export default { description: 'Lingers', risk: 'create', scope: 'web:create',
    input: { type: 'object' }, run: () => new Promise((done) => setTimeout(() => done('done'), 1000)) };`,
};

const first =
  (name: string, args: Record<string, string | string[]> = {}) =>
  (turn: number): Turn =>
    turn === 0 ? { calls: [{ name, arguments: args }] } : { text: ANSWER };

interface Cut {
  readonly limit: string;
  readonly below: Options;
  /** What the model says to all of them, until the limit is raised. */
  readonly mood?: Turn;
  readonly raised: Readonly<Record<string, object>>;
  readonly ended: object;
  readonly says: string;
  /** How many notes each sender had before the answer, and what an owner has to do about the second try. */
  readonly notes?: number;
  agree?(rig: Waiting): Promise<void>;
}

/** A yes to all that is asked. */
async function approveAll({ office }: Waiting): Promise<void> {
  const ids = await vi.waitFor(async () => {
    const { approvals } = (await office.cli('approvals', 'list', '--limit', '200')).json;
    const open = approvals.filter(({ state }: { state: string }) => state === 'pending');
    expect(open).toHaveLength(MAILS);
    return open.map(({ id }: { id: string }) => id);
  }, SOON);
  for (const id of ids) expect((await office.cli('approvals', 'approve', id)).code).toBe(0);
}

const CUTS: readonly Cut[] = [
  {
    limit: 'run_timeout_s',
    below: { files: inference({ run_timeout_s: 0.3 }) },
    mood: { text: ANSWER, delayMs: 3000 },
    raised: inference(),
    ended: { outcome: 'partial', code: 'timeout' },
    says: 'it took longer than one mail may take',
  },
  {
    limit: 'max_output_tokens',
    below: { files: inference({ max_output_tokens: 50 }) },
    mood: { text: 'It begins and', length: true },
    raised: inference(),
    ended: { outcome: 'partial', code: 'cut_off' },
    says: 'it broke off while it was written',
  },
  {
    limit: 'tool_timeout_s',
    below: { files: { ...inference({ tool_timeout_s: 0.2 }), ...LINGER }, tools: ['linger'], says: first('linger') },
    raised: inference(),
    ended: { outcome: 'partial', code: 'contract' },
    says: 'Not done: linger (broken off because it took too long)',
  },
  {
    limit: 'max_files_bytes',
    below: {
      files: gateway({ max_files_bytes: 10 }),
      says: first('write_file', { path: 'n.txt', content: 'x'.repeat(100) }),
    },
    raised: gateway(),
    ended: { outcome: 'partial', code: 'contract' },
    says: 'Not done: save n.txt',
  },
  {
    limit: 'retry.give_up_hours',
    below: { files: inference({ retry: { ...SHORT, give_up_hours: 0.001 } }) },
    mood: { status: 503, message: 'out of order' },
    raised: inference(),
    ended: { outcome: 'gave_up', code: 'provider_unavailable' },
    says: 'I could not answer your mail: the model service did not work',
  },
  {
    limit: 'approvals.ttl_hours',
    below: {
      files: security({ ttl_hours: 0.0005 }),
      says: first('send_email', { to: ['carl@elsewhere.example'], subject: 'Offer', body: 'Dear Carl' }),
    },
    raised: security(),
    ended: { outcome: 'partial', code: 'contract' },
    says: 'Not done: mail to somebody else (the owner did not answer in time)',
    notes: MAILS,
    agree: approveAll,
  },
];

/** The texts of all answers, by the mail that they answer, once each has so many. */
const answers = ({ office }: Waiting, count: number) =>
  vi.waitFor(async () => {
    const replies = await office.left('reply');
    const found = NUMBERS.map((number) =>
      replies.flatMap(({ mail, envelopeTo }) =>
        mail.inReplyTo === idOf(number) && envelopeTo === authorOf(number) ? [mail.text ?? ''] : [],
      ),
    );
    expect(found.map(({ length }) => length)).toEqual(NUMBERS.map(() => count));
    return found;
  }, SOON);

describe('fifty mails whose work a limit cuts short', () => {
  it.each(someOf(CUTS, 3).map((cut) => [cut.limit, cut] as const))(
    'have one answer each that says so, and `mail retry` works each: %s',
    async (_, cut) => {
      const rig = await open(cut.below);
      const { office } = rig;
      rig.mood.failing = cut.mood ?? null;
      for (const number of NUMBERS) await rig.mail(number, { from: authorOf(number) });
      for (const [text] of await answers(rig, 1)) expect(text).toContain(cut.says);
      const runs = rig.runs();
      expect(runs).toHaveLength(MAILS);
      for (const run of runs) expect(run).toMatchObject(cut.ended);
      expect(await office.left('wait')).toHaveLength(cut.notes ?? 0);
      rig.mood.failing = null;
      for (const [path, content] of Object.entries(cut.raised)) office.workspace.write(path, content);
      await office.restart();
      for (const number of NUMBERS) {
        const { json } = await office.cli('mail', 'retry', idOf(number));
        expect(json, JSON.stringify(json)).toMatchObject({ ok: true });
      }
      await cut.agree?.(rig);
      for (const texts of await answers(rig, 2))
        expect(texts.filter((text) => text.includes(ANSWER) && !text.includes(cut.says))).toHaveLength(1);
    },
  );
});
