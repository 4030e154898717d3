import {
  type CallReason,
  EngineError,
  type Json,
  type KeptRule,
  type RulesCapability,
  type WantedRule,
} from '#contract';
import type { Persona } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Ids, sha256 } from '../../lib/ids.ts';
import { canonicalJson } from '../../lib/json.ts';
import { addressKey } from '../../mail/mime/address.ts';
import { piecesOf, writtenIn } from '../../mail/pieces/pieces-of.ts';
import { sourceOf } from '../../memory/facts/source.ts';
import { stretchOf } from '../../memory/facts/verbatim.ts';
import { checkRule, type PlannedRule, type RefusedRule } from '../../memory/rules/decide.ts';
import { plannedInWords } from '../../memory/rules/in-words.ts';
import { addressBook } from '../../policy/own-words/address-book.ts';
import { asRead } from '../../policy/own-words/mail.ts';
import { isOrder } from '../../policy/standing-rules.ts';
import { TELLS_BACK } from '../../policy/told-back.ts';
import { valuesInText } from '../../policy/values/values.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { AuditRecord } from '../../storage/types/approvals.ts';
import { isMadePrivate, type StoredMessage } from '../../storage/types/mail.ts';
import type { Rule, RuleChange } from '../../storage/types/rules.ts';
import { isOfMail, type StoredRun } from '../../storage/types/runs.ts';
import { REASON_OF, WHY_NOT_QUOTED } from './memory.ts';

/** By which the owner's words are kept: nothing that it keeps is about itself. */
export const RULE_TOOL = 'remember_rule';

interface Options {
  readonly store: Pick<
    Store,
    | 'messageById'
    | 'getThread'
    | 'threadMessages'
    | 'knownParticipants'
    | 'ownerMail'
    | 'namesOfPeople'
    | 'rulesInForce'
    | 'listRules'
    | 'rulesByIds'
    | 'changeRules'
  >;
  readonly persona: Pick<Persona, 'id' | 'name' | 'address' | 'timezone'>;
  readonly run: StoredRun;
  isTool(name: string): boolean;
  /** Whether the run was shown words of others. */
  isExposed(): boolean;
  language(): Promise<Language>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What a model is told that wanted something to hold. */
const WHY: Readonly<Record<RefusedRule, string>> = {
  ...WHY_NOT_QUOTED,
  too_long: 'a rule has 500 characters, eight tools and eight addresses at most',
  nothing_denied: 'say in tools or whom what is denied, or keep it as words',
  nothing_allowed: 'say in tools which calls, and in whom for mail to which people',
  nobody_copied: 'say in whom which addresses are put into Cc',
  no_tool: 'there is no such tool; tools has names of tools that you know',
  not_named: 'the mail names no such address or domain; ask the sender whom they mean',
  not_a_day: 'that day is over, or too far away',
  not_there: 'no rule that holds has that id',
  not_theirs: 'only an owner can end that rule',
  only_owners: 'only an owner can have calls go without a question, or people put into Cc',
  full: 'too many rules hold for this sender already; one has to end first',
};

/** Mails of the thread in which an owner's sentence is looked for. */
const MOST_EARLIER = 100;
/** A rule that another one has ended is among the newest. */
const MOST_LOOKED_AT = 1000;

const refuse = (message: string, reason?: CallReason) => new EngineError('invalid_arguments', message, { reason });

/** That mail to those whom an owner's sentence names is asked about all the same, and how it is not, for the model. */
function noteOn({ effect, text, tools, said_tier: tier }: PlannedWords, id: string): Pick<KeptRule, 'note'> {
  const named = [...valuesInText(text).addresses];
  if (effect !== 'words' || tier !== 'owner' || tools.length > 0 || named.length === 0) return {};
  const [whom, by] = [JSON.stringify(named), JSON.stringify([TELLS_BACK])];
  return {
    note: `mail to them is asked about each time. Where the sentence orders mail to them, keep it again as words with tools ${by}, whom ${whom}, replaces ${id}: then it is not`,
  };
}

const orderedBy = (rule: Parameters<typeof isOrder>[0]): Pick<KeptRule, 'whom'> =>
  isOrder(rule) ? { whom: rule.whom } : {};

type PlannedWords = Pick<Rule, 'effect' | 'text' | 'tools' | 'said_tier'>;

/** What is to hold from now on: proposed by a model, decided by rows and the words of the mail. */
export function createRules(options: Options): RulesCapability {
  const { store, persona, run, ids, clock, signal, isTool, isExposed } = options;

  /** Throws what stands in the way, in words for the model. */
  async function planned(wanted: WantedRule): Promise<{ readonly planned: PlannedRule; readonly held: number }> {
    const { tier } = run;
    const current = isOfMail(run) ? await store.messageById(run.message) : undefined;
    const message = current && (await mailThatSays(wanted.quote, current));
    const source = message === undefined ? null : await sourceOf(run, store, message);
    if (!current || !message || source === null || (tier !== 'owner' && tier !== 'member'))
      throw refuse('only an owner, or a member for their own mail, can say by a mail what is to hold', 'sender');
    if (tier === 'owner' && (await store.ownerMail(current.id)) === undefined)
      throw refuse('nobody has proven that the owner wrote this mail', 'sender');
    const thread = await store.getThread(run.thread_id);
    if (thread && isMadePrivate(thread)) throw refuse('this thread is private: nothing of it is kept', 'private');
    const names = await store.namesOfPeople(run.thread_id);
    const pieces = [...new Set([current, message])].flatMap((one) => asRead(piecesOf(one), one.limitations));
    const inForce = await store.rulesInForce(clock.now());
    const checked = checkRule(
      wanted,
      {
        ...source,
        tier,
        isDoubtful: pieces.some(({ kind }) => kind === 'unknown' || kind === 'forwarded'),
        book: addressBook([{ name: persona.name, address: persona.address }, ...names.byOwners], names.bySelf),
        timezone: persona.timezone,
        now: clock.now(),
        isExposed: isExposed(),
        isTool,
      },
      inForce,
    );
    if (!checked.ok) throw refuse(WHY[checked.reason], REASON_OF[checked.reason]);
    return { planned: checked.planned, held: inForce.length };
  }

  /**
   * The mail of the run, or the newest earlier one of its thread that the same owner wrote, with the same proof, and that says
   * it: "as I wrote this morning" is their word. One whose rule has ended says nothing any more.
   */
  async function mailThatSays(quote: string, current: StoredMessage): Promise<StoredMessage> {
    const saysIt = (mail: StoredMessage) => stretchOf(writtenIn(mail), quote) !== null;
    const sender = addressKey(run.sender ?? '');
    if (run.tier !== 'owner' || sender === null || saysIt(current)) return current;
    const thread = await store.threadMessages(run.thread_id, MOST_EARLIER);
    const own = thread.filter(
      ({ seq, direction, tier, from_address: from }) =>
        seq < current.seq && direction === 'in' && tier === 'owner' && addressKey(from ?? '') === sender,
    );
    for (const mail of own.toSorted((a, b) => b.seq - a.seq)) {
      if (!saysIt(mail) || (await store.ownerMail(mail.id)) === undefined) continue;
      const all = await store.listRules({ all: true, limit: MOST_LOOKED_AT, now: clock.now() });
      return all.some((rule) => rule.ended_at !== null && rule.source_message === mail.id) ? current : mail;
    }
    return current;
  }

  /** After a crash the rule of this very mail is there already: it was kept by this call, which can be taken back as a whole. */
  async function asKept(rule: Rule): Promise<KeptRule> {
    const { id, text, source_message: by } = rule;
    if (by !== run.message) return { id, text, result: 'again', ended: [] };
    const all = await store.listRules({ all: true, limit: MOST_LOOKED_AT, now: clock.now() });
    const ended = all.flatMap((one) => (one.ended_by === id ? [one.id] : []));
    return { id, text, result: 'kept', ended, ...orderedBy(rule) };
  }

  const auditOf = (event: 'rule_kept' | 'rule_ended', detail: AuditRecord['detail']): AuditRecord => ({
    id: ids.next(),
    at: clock.now(),
    actor: run.sender ?? 'engine',
    event,
    run_id: run.id,
    approval_id: null,
    tool: RULE_TOOL,
    decision: null,
    detail,
  });

  return {
    async asks(wanted) {
      return (await planned(wanted)).planned.asks.length > 0;
    },
    async preview(wanted) {
      const found = await planned(wanted);
      const place = { language: await options.language(), zone: persona.timezone };
      const ended = found.planned.ends.map(({ id }) => id);
      return {
        text: plannedInWords(found.planned, found.held, place),
        basis: sha256(canonicalJson([{ ...wanted }, ended] as unknown as Json)),
      };
    },
    async keep(wanted) {
      const { planned: found } = await planned(wanted);
      signal.throwIfAborted();
      const { rule, same, ends } = found;
      const ended = ends.map(({ id }) => id);
      if (same) return asKept(same);
      const now = clock.now();
      const by = run.sender?.toLowerCase() ?? 'engine';
      const tells = ends.map(({ id, text }) => auditOf('rule_ended', { rule: id, text }));
      if (rule === null) {
        await store.changeRules(
          ended.map((id) => ({ change: 'end', id, by, at: now })),
          tells,
        );
        const [first] = ends;
        return { id: first?.id ?? '', text: first?.text ?? '', result: 'ended', ended };
      }
      const id = `r${ids.random(5)}`;
      const kept = { ...rule, id, made_at: now, ended_at: null, ended_by: null };
      const { text, effect, tools, whom, scope, scope_of, until } = rule;
      await store.changeRules(
        [{ change: 'add', rule: kept, replaces: ended }],
        [auditOf('rule_kept', { rule: id, text, effect, tools, whom, scope, scope_of, until }), ...tells],
      );
      return { id, text, result: 'kept', ended, ...orderedBy(rule), ...noteOn(rule, id) };
    },
    async takeBack({ id, result, ended }) {
      const now = clock.now();
      if (result === 'again') return;
      const [rule] = await store.rulesByIds([id]);
      if (!rule) throw refuse('that rule is not kept any more', 'not_found');
      const changes: RuleChange[] = [
        ...(result === 'kept' ? [{ change: 'end', id, by: 'undo', at: now } as const] : []),
        ...ended.map((one) => ({ change: 'revive', id: one }) as const),
      ];
      await store.changeRules(changes, [auditOf('rule_ended', { rule: id, undone: true })]);
    },
  };
}
