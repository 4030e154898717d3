import type { Persona } from '../config/types.ts';
import { languageOfOwner } from '../languages/owner-language.ts';
import { say } from '../languages/say.ts';
import type { Ids } from '../lib/ids.ts';
import { endOfDay, localDay } from '../lib/schedule/zone.ts';
import { DAY_MS } from '../lib/time.ts';
import { undoNoticeJob } from '../record/jobs/job-kinds.ts';
import type { Store } from '../storage/ports/store.ts';
import { type Approval, likenessIn, openUndo, type TaughtRule } from '../storage/types/approvals.ts';
import { type Rule, type TaughtCalls, taughtIn } from '../storage/types/rules.ts';
import { likenessInWords, TAUGHT_DAYS } from '../suspensions/offered.ts';
import { rowOf } from './on-record.ts';

/** By which a rule of any kind is taken back. */
const TAKEN_BACK_BY = 'remember_rule';

/**
 * The rule that an owner makes of a yes: such calls go without a question from now on. Null where the question offers none, so that
 * the yes is one to this call alone.
 */
export async function ruleOfYes(
  { ids }: { readonly ids: Ids },
  {
    persona,
    store,
    asked,
    by,
    messageId,
    now,
  }: {
    readonly persona: Persona;
    readonly store: Store;
    readonly asked: Approval;
    /** An owner's address. */
    readonly by: string;
    /** Of the mail that says it; null: a button did. */
    readonly messageId: string | null;
    readonly now: number;
  },
): Promise<TaughtRule | null> {
  const { offered_at: offeredAt, likeness, fingerprint } = asked;
  const run = await store.getRun(asked.run_id);
  if (offeredAt === null || likeness === null || !run) return null;
  const { tool, whom, target } = likenessIn(likeness);
  const language = await languageOfOwner(store, persona, by);
  const text = say(language, 'rules.taught', { what: likenessInWords(likenessIn(likeness), language) });
  // With the day of the yes as the first of them.
  const lastDay = localDay(now + (TAUGHT_DAYS - 1) * DAY_MS, persona.timezone);
  const until = endOfDay(persona.timezone, lastDay);
  const id = `r${ids.random(5)}`;
  const taught: TaughtCalls = { likeness, tier: run.tier, fingerprint, question: asked.id };
  const rule: Rule = {
    id,
    text,
    effect: 'allow',
    tools: [tool],
    whom,
    scope: 'persona',
    scope_of: null,
    until,
    said_by: by.toLowerCase(),
    said_tier: 'owner',
    source_message: null,
    source_message_id: messageId,
    origin: 'approvals',
    made_at: now,
    ended_at: null,
    ended_by: null,
    taught_json: JSON.stringify(taught),
    in_answers: 0,
  };
  const replaces = (await store.rulesInForce(now)).flatMap((one) => (isSame(taughtIn(one), taught) ? [one.id] : []));
  const detail = { rule: id, text, effect: 'allow', tools: [tool], whom, target, until };
  return {
    rule,
    replaces,
    undo: openUndo(
      {
        id: ids.next(),
        run_id: run.id,
        thread_id: run.thread_id,
        call_id: `rule of ${asked.id}`,
        tool: TAKEN_BACK_BY,
        arguments: { quote: text, effect: 'allow', tools: [tool], whom: [...whom], until: lastDay },
        result: { id, text, result: 'kept', ended: replaces },
      },
      now,
    ),
    audit: {
      ...rowOf({ id: ids.next(), at: now, actor: by, event: 'rule_kept', detail, run_id: run.id }),
      approval_id: asked.id,
      tool,
    },
    job: undoNoticeJob(now),
  };
}

const isSame = (one: TaughtCalls | null, other: TaughtCalls): boolean =>
  one !== null && one.likeness === other.likeness && one.tier === other.tier;
