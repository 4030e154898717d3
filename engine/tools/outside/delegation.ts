import { type DelegationCapability, EngineError, MAX_PENDING_S } from '#contract';
import type { Configs, Persona } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Ids, sha256 } from '../../lib/ids.ts';
import { DELEGATE } from '../../policy/delegated.ts';
import { valuesInText } from '../../policy/values/values.ts';
import type { LoopState } from '../../record/state.ts';
import type { RunInHand } from '../../storage/ports/runs.ts';
import type { StoredAttachment } from '../../storage/types/mail.ts';
import type { NewDelegation, Packet } from '../../storage/types/suspensions.ts';
import { noAttachment } from '../capabilities/mail.ts';
import type { OpensFiles } from '../capabilities/outgoing-files.ts';

const MAX_WORDS = 200;
/** So often as long as a run may work a child may take, with the time that it waits for its turn. */
const TIMES_A_RUN = 3;

interface DelegationOptions {
  readonly persona: Pick<Persona, 'delegation'>;
  readonly configs: Pick<Configs, 'inference' | 'gateway'>;
  readonly run: RunInHand;
  /** What this run was handed itself; null where a mail or a task began it. */
  readonly packet: Packet | null;
  readonly state: Pick<LoopState, 'outcomes'>;
  /** Names of the tools that this run is shown. */
  readonly shown: readonly string[];
  readonly files: OpensFiles;
  /** Whether a child run may have a tool of that name. */
  mayHave(tool: string): boolean;
  /** An attachment that this run may read. */
  attachment(id: string): Promise<StoredAttachment | undefined>;
  readPage(options: { readonly ref: string; readonly page: number }): Promise<{ text: string; pages: number }>;
  isTainted(): boolean;
  /** Whether this run could go to this web address without asking. */
  mayFollow(url: string): Promise<boolean>;
  /** How many children were staged since the run was claimed. */
  staged(): number;
  stage(child: NewDelegation): void;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Has runs begin others: each a mail of a thread of its own, which says all that it was handed. */
export const createDelegation = (options: DelegationOptions): DelegationCapability => ({
  async begin({ task, context, tools, budget }) {
    const { run, configs, clock, ids } = options;
    const depth = (options.packet?.depth ?? 0) + 1;
    checkLimits(options, depth);
    const wrong = tools.filter((name) => !options.shown.includes(name));
    if (wrong.length > 0) throw invalid(`these are no tools of yours: ${wrong.join(', ')}`);
    const closed = tools.filter((name) => !options.mayHave(name));
    if (closed.length > 0)
      throw invalid(
        `no child run has these: ${closed.join(', ')}; hand over what they would find, or do that part yourself`,
      );
    const handed = await Promise.all(context.map((item) => handedIn(options, item)));
    const files = handed.flatMap(({ file }) => file ?? []);
    const attached = handed.flatMap(({ attachment }) => attachment ?? []);
    const text = wordsOf(task, handed, files);
    const packet: Packet = {
      task: task.slice(0, MAX_WORDS),
      tools: [...new Set(tools)],
      files,
      attachments: attached.map(({ id }) => id),
      depth,
      read: await freeIn(text, options),
      readers: run.readers ?? [],
      // Whoever sent a file has named it.
      tainted: options.isTainted() || attached.length > 0,
      usd: budget.usd ?? null,
      tokens: budget.tokens ?? null,
      sha256: sha256(JSON.stringify([text, tools, files, ...attached.map(({ sha256: hash }) => hash)])),
    };
    const [id, thread, message] = [ids.next(), ids.next(), ids.next()];
    const now = clock.now();
    const messageId = `<${message}@${configs.gateway.domain}>`;
    const subject = 'A part of the work';
    options.stage({
      thread: { id: thread, kind: 'thread', subject },
      message: {
        id: message,
        thread_id: thread,
        direction: 'in',
        message_id: messageId,
        run_id: id,
        to: [],
        cc: [],
        subject,
        references: [],
        received_at: now,
        text,
        new_text: text,
        pieces: [],
      },
      run: {
        id,
        thread_id: thread,
        message,
        message_id: messageId,
        kind: 'delegation',
        status: 'queued',
        sender: run.sender,
        tier: run.tier,
        recursion: run.recursion,
        parent_run_id: run.id,
        due_at: now,
        created_at: now,
      },
      packet,
    });
    const timeout_s = Math.min(MAX_PENDING_S, TIMES_A_RUN * configs.inference.run_timeout_s);
    return { delegated: { run_id: id, timeout_s } };
  },
});

function checkLimits({ persona, state, staged }: DelegationOptions, depth: number): void {
  const { enabled, max_children, max_depth } = persona.delegation;
  if (!enabled) throw invalid('no work is handed on here');
  if (depth > max_depth) throw invalid('a run this far below cannot hand work on; do it yourself');
  const before = state.outcomes.filter(({ tool, made }) => tool === DELEGATE && made?.waited === true).length;
  if (before + staged() >= max_children)
    throw invalid(`a run has ${max_children} child runs at most; do the rest yourself`);
}

/** More of them a child run has to ask about. */
const MAX_READ = 200;

/** Web addresses in the words for a child run to which its parent could go by itself. */
async function freeIn(text: string, { mayFollow }: Pick<DelegationOptions, 'mayFollow'>): Promise<readonly string[]> {
  const free: string[] = [];
  for (const url of [...valuesInText(text).urls].slice(0, MAX_READ)) if (await mayFollow(url)) free.push(url);
  return free;
}

interface Handed {
  readonly file?: string;
  readonly attachment?: StoredAttachment;
  readonly text?: string;
}

type Item = Parameters<DelegationCapability['begin']>[0]['context'][number];

async function handedIn({ files, readPage, attachment }: DelegationOptions, item: Item): Promise<Handed> {
  if (typeof item === 'string') return { text: item };
  if ('attachment' in item) {
    const row = await attachment(item.attachment);
    if (row === undefined) throw noAttachment(item.attachment);
    if (row.unreadable !== null) throw invalid(`${row.name} cannot be read: ${row.unreadable}`);
    return { attachment: row };
  }
  if ('file' in item) return { file: (await files.open(item.file)).path };
  const { text, pages } = await readPage({ ref: item.ref, page: 1 });
  return { text: pages === 1 ? text : `${text}\n[the first of ${pages} pages]` };
}

function wordsOf(task: string, handed: readonly Handed[], files: readonly string[]): string {
  const texts = handed.flatMap(({ text }) => text ?? []);
  const attached = handed.flatMap(({ attachment }) => attachment ?? []);
  return [
    'This is one part of a larger piece of work. Only the run that handed it to you reads your answer; it sees nothing else of what you do.',
    `Task:\n${task}`,
    ...texts.map((text, index) => `Context ${index + 1} of ${texts.length}:\n${text}`),
    ...(files.length === 0 ? [] : [`Files that you can read: ${files.join(', ')}`]),
    ...(attached.length === 0
      ? []
      : [
          [
            'Attachments of mail that you can read; whoever sent them has named them:',
            ...attached.map(({ id, name, type, bytes }) => `[attachment ${id}] ${name}, ${type}, ${bytes} bytes`),
          ].join('\n'),
        ]),
  ].join('\n\n');
}

const invalid = (message: string): EngineError => new EngineError('invalid_arguments', message);
