import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Turn } from '../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../fakes/model-server.ts';
import { codeOf, idOf, type Left, look, type Told } from './crash-told.ts';
import { eventually } from './eventually.ts';
import { type Gateway, launchGateway, type Program, readOutgoing, startGateway, submit } from './gateway.ts';
import { ADA, CARL, MEMBER, OWNER } from './governance-rig.ts';
import { openPersonaDb, type RunView } from './persona-db.ts';
import { makeWorkspace } from './workspace.ts';

const compatible = (name: string) => ({
  [`extensions/providers/${name}/manifest.json`]: {
    name,
    kind: 'provider',
    api: 1,
    summary: 'For a test',
    adapter: 'openai-compatible',
  },
});

/** Leaves a line for each time that it is called: an effect that nobody can take back or look for. */
const PUSH = {
  'extensions/tools/push/manifest.json': { name: 'push', kind: 'tool', api: 1, summary: 'Pushes', entry: 'index.js' },
  'extensions/tools/push/index.js': `import { appendFileSync } from 'node:fs';
    export default { description: 'For a test.', risk: 'create', scope: 'web:create',
      input: { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] },
      async run({ line }) { appendFileSync(new URL('../../../pushed.log', import.meta.url), line + '\\n'); return 'pushed'; } };`,
};

/**
 * What the model does with mail number n: reads, makes a file, pushes; then what is denied; then mail to somebody new;
 * then it says what became of each.
 */
function turnOf(turn: number, n: string, results: readonly string[]): Turn {
  if (turn === 0) {
    return {
      calls: [
        { name: 'list_files', arguments: {} },
        { name: 'write_file', arguments: { path: `note-${n}.txt`, content: n } },
        { name: 'push', arguments: { line: n } },
      ],
    };
  }
  if (turn === 1) {
    const [listed, written, pushed] = results.map(codeOf);
    return {
      text: `list_files ${listed}, write_file ${written}, push ${pushed}`,
      calls: [{ name: 'edit_file', arguments: { path: `note-${n}.txt`, old_text: n, new_text: 'changed' } }],
    };
  }
  if (turn === 2) {
    return {
      calls: [{ name: 'send_email', arguments: { to: [CARL], subject: `Offer ${n}`, body: `Dear Carl, ${n}` } }],
    };
  }
  return { text: `send_email ${results.map(codeOf).join()}` };
}

interface Progress {
  acknowledged: boolean;
  answered: boolean;
}

const letter = (n: number): string =>
  [
    `From: ${MEMBER}`,
    `To: ${ADA}`,
    `Subject: Story ${n}`,
    `Message-ID: ${idOf(n)}`,
    'Date: Sun, 22 Nov 2026 10:00:00 +0000',
    '',
    `This is number ${n}.`,
    '',
  ].join('\r\n');

/** `Offer 1` is not in a notice about `Offer 12`. */
const isAbout = (text: string, subject: string): boolean => new RegExp(`${subject}(?!\\d)`).test(text);

const isAnswered = (mails: readonly Left[], messageId: string): boolean =>
  mails.some(({ mail }) => mail.inReplyTo === messageId && mail.headers.get('x-epistle-kind') === 'reply');

/** Mails to one persona, each with a process that dies at a place of its own and another that goes on. */
export async function openStories() {
  const broken = await startFakeModel('openai', () => ({ status: 401, message: 'no' }));
  const steady: FakeModel = await startFakeModel('openai', ({ view }) => {
    const n = /number (\d+)/.exec(view.lastUser)?.[1] ?? '?';
    return turnOf(
      view.turn,
      n,
      view.results.map(({ content }) => content),
    );
  });
  const workspace = makeWorkspace({
    'configs/security.json': {
      owners: [OWNER],
      approvals: { batch_window_s: 0 },
      tool_policy: { tools: { edit_file: 'deny' } },
      loop_guard: { max_replies_per_sender_per_hour: 0, max_fast_replies: 0 },
    },
    'configs/inference.json': { provider: 'broken', model: 'm', fallback: ['steady/m'] },
    'extensions/extensions.json': {
      providers: [
        { name: 'broken', config: { base_url: broken.baseUrl } },
        { name: 'steady', config: { base_url: steady.baseUrl } },
      ],
      tools: ['push'],
    },
    ...compatible('broken'),
    ...compatible('steady'),
    ...PUSH,
  });
  const { root } = workspace;

  const left = async () => {
    const folder = join(root, 'data/outgoing');
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.eml')) : [];
    return Promise.all(names.toSorted().map((name) => readOutgoing(join(folder, name))));
  };
  const runOf = (messageId: string): RunView | undefined => {
    if (!existsSync(join(root, 'data/personas/ada/persona.db'))) return undefined;
    const db = openPersonaDb(root, 'ada');
    try {
      return db.runOf(messageId);
    } finally {
      db.close();
    }
  };

  const noticeOf = async (n: number) =>
    (await left()).find(
      ({ mail }) => mail.headers.get('x-epistle-kind') === 'approval' && isAbout(mail.text ?? '', `Offer ${n}`),
    );

  /** One look at mail n, as its sender and its owner would take; true when it has its answer. */
  async function goOn(gateway: Gateway, n: number, state: Progress): Promise<boolean> {
    const messageId = idOf(n);
    if (!state.acknowledged) {
      await submit(root, gateway.ready, { from: MEMBER, to: ADA, raw: letter(n) });
      state.acknowledged = true;
    }
    const run = runOf(messageId);
    if (run && ['done', 'failed'].includes(run.status)) return isAnswered(await left(), messageId);
    if (state.answered || run?.status !== 'waiting_approval') return false;
    const notice = await noticeOf(n);
    if (!notice) return false;
    await submit(root, gateway.ready, {
      from: OWNER,
      to: notice.mail.replyTo?.value[0]?.address ?? ADA,
      subject: `Re: ${notice.mail.subject}`,
      inReplyTo: notice.mail.messageId ?? '',
      messageId: `<yes-${n}@example.com>`,
      text: 'approve',
    });
    state.answered = true;
    return false;
  }

  /** Works mail n through this gateway until it is answered, or until the process dies. */
  async function see(gateway: Gateway | Program, n: number, state: Progress): Promise<void> {
    const isDead = () =>
      'process' in gateway && (gateway.process.exitCode !== null || gateway.process.signalCode !== null);
    // The line breaks with the process, and a sender tries again; what never works is told when the time is over.
    const look = () => goOn(gateway, n, state).catch(() => false);
    await eventually(async () => (await look()) || isDead(), Boolean, 120_000);
  }

  return {
    root,
    /** Mail number n, in a process that dies at `label` and in another that does not. */
    async tell(n: number, label: string | null): Promise<Told> {
      const state: Progress = { acknowledged: false, answered: false };
      let crashed = false;
      if (label !== null) {
        const launched = launchGateway(root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: label });
        await see(await launched.ready, n, state);
        const { process: child } = launched;
        crashed = child.signalCode !== null || (child.exitCode === null && (await diesSoon(launched.exited)));
        child.kill('SIGKILL');
        await launched.exited;
      }
      const gateway = await startGateway(root);
      try {
        await see(gateway, n, state);
        await eventually(() => quiet(root), Boolean);
      } finally {
        await gateway.stop();
      }
      return look(root, n, crashed, await left());
    },
    async close() {
      await broken.stop();
      await steady.stop();
      workspace.remove();
    },
  };
}

/** The last event's crash may come a moment after its mail has left. */
async function diesSoon(exited: Promise<number | null>): Promise<boolean> {
  const over = new AbortController();
  const lives = pause(5000, false, { signal: over.signal }).catch(() => false);
  try {
    return await Promise.race([exited.then((code) => code === null), lives]);
  } finally {
    over.abort();
  }
}

function quiet(root: string): boolean {
  const db = openPersonaDb(root, 'ada');
  try {
    return db.outbox().every(({ state }) => state === 'sent');
  } finally {
    db.close();
  }
}
