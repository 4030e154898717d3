import type { Configs, Persona } from '../config/types.ts';
import { say } from '../languages/say.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import { withDeadline } from '../lib/deadline.ts';
import { messageOf } from '../lib/error-message.ts';
import { type LearnedChange, learnedChangeIn } from '../record/codec/remembered.ts';
import { undo, undoEnd } from '../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';
import { inEach, notice } from '../record/jobs/notice-job.ts';
import type { Store } from '../storage/ports/store.ts';
import type { PinnedVersion } from '../storage/ports/undo.ts';
import type { AuditRecord, UndoItem } from '../storage/types/approvals.ts';
import { type ToolDeps, toolsForRun } from './for-run.ts';
import { surfaceFor } from './run-surface.ts';

const TIME_MS = 60_000;

type UndoDeps = ToolDeps & { configs(): Configs; readonly pass: PassCrashPoint };

/**
 * Takes one call back, because an owner said so, and tells the owners what came of it. The tool knows how; the same
 * job a second time changes nothing.
 */
export function createUndoer(deps: UndoDeps): JobHandler {
  return handleJobs(undo, async (persona, job, store, signal) => {
    const { undo_id: id, by } = job.payload;
    const item = await store.getUndo(id);
    if (item?.state !== 'open') return store.endJob(job.id);
    const { why, pin = null } = await takeBack(deps, persona, store, item, signal);
    deps.pass('undo.made');
    const now = deps.clock.now();
    const what = whatOf(item);
    const payload = inEach(persona.language, (language) => {
      // What a tool says of its failure is for those who run the gateway, in the words that it has.
      const text =
        why === null
          ? say(language, 'notices.undone', { what })
          : `${say(language, 'notices.notUndone', { what })}\n\n${why}`;
      return {
        subject:
          why === null
            ? say(language, 'notices.undoneSubject', { what })
            : say(language, 'notices.notUndoneSubject', { what }),
        text,
      };
    });
    const told = notice.job({ id: `notice:${job.id}`, due_at: now, payload });
    const audit: AuditRecord = {
      id: deps.ids.next(),
      at: now,
      actor: by,
      event: 'undo',
      run_id: item.run_id,
      approval_id: null,
      tool: item.tool,
      decision: why === null ? 'undone' : 'failed',
      detail: { undo_id: id, arguments: item.arguments, why },
    };
    await store.settleUndo({ id, state: why === null ? 'undone' : 'open', by, now, pin }, [audit], job.id, [told]);
    deps.pass('undo.settled');
  });
}

/** The file that a call was about, else the tool; of a playbook its kind and version. */
function whatOf(item: UndoItem): string {
  const change = learnedChangeIn(item);
  const {
    tool,
    arguments: { path },
  } = item;
  if (change) return `${change.kind} v${change.to}`;
  return typeof path === 'string' ? path.slice(0, 200) : tool;
}

interface TakenBack {
  /** Why not; null when it is taken back. */
  readonly why: string | null;
  /** The version of a playbook that holds again as soon as that is on record. */
  readonly pin?: PinnedVersion;
}

async function takeBack(
  deps: UndoDeps,
  persona: Persona,
  store: Store,
  item: UndoItem,
  signal: AbortSignal,
): Promise<TakenBack> {
  if (item.until <= deps.clock.now()) return { why: 'its time is over' };
  const change = learnedChangeIn(item);
  if (change) return useFormer(change, store);
  const tool = deps.tools().get(item.tool);
  const run = await store.getRun(item.run_id);
  if (!tool?.definition.undo || !run) return { why: 'the tool that did it is not installed any more' };
  const user = {
    persona,
    configs: deps.configs(),
    run,
    store,
    signal,
    isTainted: () => true,
    reading: null,
    toldBack: null,
    stage: () => {},
    stageFact: () => {},
    stageJob: () => {},
    stageChild: () => {},
  };
  const { contextFor } = await toolsForRun(
    deps,
    user,
    surfaceFor({ tools: deps.tools(), hooks: deps.hooks() }, user).refusal,
  );
  try {
    const options = { ms: TIME_MS, code: 'tool_timeout', what: `undo of ${tool.name}`, parent: signal } as const;
    await withDeadline(
      async (own) => tool.definition.undo?.(item.arguments as never, item.result, contextFor(tool, own)),
      options,
    );
    return { why: null };
  } catch (error) {
    signal.throwIfAborted();
    return { why: messageOf(error).slice(0, 500) };
  }
}

/** The version before holds again, whatever is newer. */
async function useFormer({ kind, former_id: version }: LearnedChange, store: Store): Promise<TakenBack> {
  if (!(await store.playbookVersion(version))) return { why: 'the version before is not kept any more' };
  return { why: null, pin: { kind, version } };
}

/** Ends what nobody took back in time, and lets go of the bytes that were kept for it. */
export function createUndoEnd(deps: Pick<ToolDeps, 'filesOf' | 'clock'>): JobHandler {
  return handleJobs(undoEnd, async (persona, job, store) => {
    const { hashes, nextAt } = await store.endUndo(deps.clock.now());
    const { undo: kept } = deps.filesOf(persona.id);
    for (const hash of hashes) kept.remove(hash);
    if (nextAt === null) await store.endJob(job.id);
    else await store.postponeJob(job.id, nextAt);
  });
}
