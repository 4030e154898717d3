import { EngineError, type Json, type JsonObject, type SettledCall, type WaitingCapability } from '#contract';
import type { Persona } from '../config/types.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { canonicalJson } from '../lib/json.ts';
import { localTime } from '../lib/schedule/zone.ts';
import { hasReaders } from '../policy/viewer.ts';
import type { RunInHand } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import { type Approval, argumentsOf, type ForeignValue, isChanged, TAKEN_BACK } from '../storage/types/approvals.ts';
import { isMadePrivate, type StoredMessage } from '../storage/types/mail.ts';
import { ASKED } from '../suspensions/kinds.ts';
import { membersOf } from '../suspensions/members.ts';

/** Decides what waits, as an owner does by mail. */
export interface WaitingDesk {
  /** The question that stands now; a text: why it may not be asked about like that; null: somebody was faster. */
  change(wanted: {
    readonly persona: Persona;
    readonly approval: Approval;
    readonly wanted: JsonObject;
    readonly by: string;
    /** What in it nobody whose word counts has named. */
    readonly foreign: readonly ForeignValue[];
  }): Promise<Approval | string | null>;
  /** Whether it was still open. `isOwn`: who withdraws it had asked for it, in a mail that has its answer; nobody else has to hear of it. */
  withdraw(wanted: {
    readonly personaId: string;
    readonly id: string;
    readonly by: string;
    readonly isOwn: boolean;
  }): Promise<boolean>;
}

interface Options {
  readonly store: Pick<
    Store,
    'getApproval' | 'approvalsOfRun' | 'pendingApprovals' | 'findNotice' | 'getRun' | 'getThread' | 'messageById'
  > &
    Pick<Store, 'ownerMail'>;
  readonly persona: Persona;
  readonly run: RunInHand;
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  desk(): Promise<WaitingDesk>;
  foreignIn(tool: RegisteredTool, args: Json): Promise<readonly ForeignValue[]>;
}

/** The questions that this mail answers, by the mail of ours that it names. */
export async function questionsAnswered(
  store: Pick<Store, 'findNotice'>,
  { in_reply_to: to, references }: Pick<StoredMessage, 'in_reply_to' | 'references'>,
): Promise<readonly Approval[]> {
  const messageIds = [...(to === null ? [] : [to]), ...references];
  return (await store.findNotice({ messageIds }))?.items ?? [];
}

/** A call, or a plan of calls: what an owner answers in words is no call. */
const isCall = ({ kind }: Approval): boolean => ASKED[kind].answeredBy !== 'words';

/** What waits for owners, for a run of a mail that an owner has proven to have written. */
export function createWaiting(options: Options): WaitingCapability {
  const { store, persona, run, tools, desk, foreignIn } = options;

  /** Throws for anybody else. */
  async function answered(): Promise<readonly Approval[]> {
    const message = run.tier === 'owner' && run.kind === 'message' ? await store.messageById(run.message) : undefined;
    const items = message ? await questionsAnswered(store, message) : [];
    // An answer to a question begins a run only where its sender was proven.
    const isProven = message !== undefined && (items.length > 0 || (await store.ownerMail(message.id)) !== undefined);
    if (!isProven)
      throw new EngineError('invalid_arguments', 'only an owner can see and change what waits, by their own mail', {
        reason: 'sender',
      });
    return items;
  }

  /** Where others get the answer as well, they are told of nothing but what the mail is about. */
  async function maySee({ id, thread_id }: Approval, items: readonly Approval[]): Promise<boolean> {
    if (thread_id === run.thread_id || items.some((item) => item.id === id)) return true;
    if (hasReaders(run)) return false;
    const thread = await store.getThread(thread_id);
    return thread !== undefined && !isMadePrivate(thread);
  }

  async function found(id: string): Promise<Approval> {
    const items = await answered();
    const approval = await store.getApproval(id);
    if (approval && isCall(approval) && (await maySee(approval, items))) return approval;
    throw notThere();
  }

  function settled(approval: Approval, id: string | null): SettledCall {
    const tool = tools.get(approval.tool);
    const checked = tool?.validate(argumentsOf(approval));
    const entry = checked?.ok === true ? tool?.definition.receipt?.(checked.value as never, null) : undefined;
    return { id, targets: [...(entry?.targets ?? [approval.tool])], title: entry?.title ?? null };
  }

  return {
    async list() {
      const items = await answered();
      const seen: Approval[] = [];
      for (const one of await store.pendingApprovals(MOST))
        if (isCall(one) && (await maySee(one, items))) seen.push(one);
      return Promise.all(
        seen.map(async (one) => ({
          id: one.id,
          tool: one.tool,
          arguments: argumentsOf(one),
          for: (await store.getRun(one.run_id))?.sender ?? null,
          asked_at: localTime(persona.timezone, one.created_at).slice(0, MINUTES).replace('T', ' '),
          until: localTime(persona.timezone, one.expires_at).slice(0, MINUTES).replace('T', ' '),
          answered_now: items.some(({ id }) => id === one.id),
        })),
      );
    },

    async change(id, changes) {
      const approval = await found(id);
      if (membersOf(approval).length > 0)
        throw new EngineError('invalid_arguments', 'that is a plan of several calls: withdraw it, and call anew');
      const before = argumentsOf(approval);
      const wanted = { ...before, ...changes };
      // After a crash, or where it is asked for twice: what stands in its place is what was wanted.
      const again = await inItsPlace(approval, wanted);
      if (again) return settled(again, again.id);
      if (approval.state !== 'pending') throw notThere();
      if (canonicalJson(before) === canonicalJson(wanted))
        throw new EngineError('invalid_arguments', 'nothing of it would be another than it is');
      const tool = tools.get(approval.tool);
      const foreign = tool ? await foreignIn(tool, changedIn(before, wanted)) : [];
      const made = await (await desk()).change({ persona, approval, wanted, by: run.sender ?? '', foreign });
      if (made === null) throw notThere();
      if (typeof made === 'string') throw new EngineError('invalid_arguments', made);
      return settled(made, made.id);
    },

    async withdraw(id) {
      const approval = await found(id);
      const by = run.sender ?? '';
      const asked = await store.getRun(approval.run_id);
      const isOwn = asked !== undefined && asked.ended_at !== null && asked.sender?.toLowerCase() === by.toLowerCase();
      const isDone =
        approval.state === 'pending'
          ? await (await desk()).withdraw({ personaId: persona.id, id, by, isOwn })
          : (approval.state === 'rejected' || approval.reason === TAKEN_BACK) && approval.decided_by === by;
      if (!isDone) throw notThere();
      return settled(approval, null);
    },
  };

  async function inItsPlace(approval: Approval, wanted: JsonObject): Promise<Approval | undefined> {
    if (!isChanged(approval)) return undefined;
    const last = (await store.approvalsOfRun(approval.run_id)).findLast(({ call_id }) => call_id === approval.call_id);
    return last?.state === 'pending' && canonicalJson(argumentsOf(last)) === canonicalJson(wanted) ? last : undefined;
  }
}

const MOST = 50;
/** `2026-11-27T09:12` */
const MINUTES = 16;

const notThere = () => new EngineError('not_found', 'nothing of that id waits: it may have been decided meanwhile');

/** What was the same before an owner has been shown already. */
const changedIn = (before: JsonObject, wanted: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => canonicalJson(before[key] ?? null) !== canonicalJson(value)),
  );
