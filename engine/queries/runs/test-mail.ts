import { EngineError, type Json } from '#contract';
import { replyMode } from '../../mail/classify.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { OutboxMode } from '../../storage/types/outbox.ts';
import { HELD, isTest, type StoredRun } from '../../storage/types/runs.ts';
import type { CallLink } from '../explain/chain.ts';
import { readChain } from '../explain/read.ts';
import type { QueryPorts } from '../ports.ts';
import { type RunShape, runShape } from '../shapes.ts';

/** A mail that somebody tried out, and what came of it. */
export interface TestShape {
  readonly run: RunShape;
  /** With whose eyes. */
  readonly tier: StoredRun['tier'];
  readonly from: string | null;
  readonly subject: string;
  readonly text: string;
  /** As it would be mailed; null: there is none, or none yet. `mode`: whether it would leave or lie in Drafts. */
  readonly answer: { readonly subject: string; readonly text: string; readonly mode: OutboxMode } | null;
  /** Calls that were not made, in order. */
  readonly held: readonly HeldCall[];
  /** Reads of what is the persona's own, which were made. */
  readonly made: readonly string[];
}

export interface HeldCall {
  readonly tool: string;
  readonly arguments: Json;
  /** What the governor says of it, by which of its rules. */
  readonly would: 'be_done' | 'be_asked_about' | 'be_denied';
  readonly by: string;
  readonly reason: string | null;
}

/** Throws `not_found`, also for a run that is no test. */
export async function testMail(
  ports: QueryPorts,
  { persona, id }: { readonly persona: string; readonly id: string },
): Promise<TestShape> {
  const none = () => new EngineError('not_found', `no test mail has the id ${id}`);
  if (!ports.stores.exists(persona)) throw none();
  const run = await ports.stores.use(persona, (store) => store.getRun(id));
  if (!run || !isTest(run)) throw none();
  const { chain } = await readChain(ports, persona, run);
  const calls = chain.steps.flatMap((step) => step.calls);
  return ports.stores.use(persona, async (store) => {
    const mail = await store.messageById(run.message);
    return {
      run: runShape(persona, run),
      tier: run.tier,
      from: run.sender,
      subject: mail?.subject ?? '',
      text: mail?.new_text ?? '',
      answer: await answerOf(ports, store, { persona, run }),
      held: calls.flatMap(heldOf),
      made: calls.flatMap(({ tool, result }) => (result?.ok ? [tool] : [])),
    };
  });
}

function heldOf({ tool, arguments: args, permission, result }: CallLink): HeldCall[] {
  if (permission === null) return [];
  const { verdict, by, reason = null } = permission;
  const call = { tool, arguments: args, by, reason };
  if (verdict === 'deny') return [{ ...call, would: 'be_denied' }];
  if (result?.code !== HELD) return [];
  return [{ ...call, would: verdict === 'allow' ? 'be_done' : 'be_asked_about' }];
}

async function answerOf(
  { live }: QueryPorts,
  store: Store,
  { persona, run }: { readonly persona: string; readonly run: StoredRun },
): Promise<TestShape['answer']> {
  const answer = (await store.threadMessages(run.thread_id, MOST_LOOKED_AT)).find(
    ({ direction, run_id: of }) => direction === 'out' && of === run.id,
  );
  if (!answer) return null;
  const entry = live.personas().get(persona);
  const asked = { sender: run.sender ?? '', isProven: run.tier !== 'unauthenticated' };
  const mode = entry?.state === 'ready' ? replyMode(entry.persona.reply, asked) : 'send';
  return { subject: answer.subject, text: answer.text, mode };
}

/** One mail, and an answer to each time that it was tried. */
const MOST_LOOKED_AT = 50;
