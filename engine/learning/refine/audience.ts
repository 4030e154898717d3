import type { Condition, Playbook, PlaybookMeta } from '../../record/codec/playbook.ts';
import { CAPABILITIES } from '../../record/codec/playbook.ts';
import type { Tier } from '../../storage/types/mail.ts';
import { brought, type Example, effectKey } from './examples.ts';
import type { ExampleScore } from './score.ts';

/** In the place of a model's words, which might be those of somebody's mail. */
const WENT_WRONG = 'a call like this went wrong before';
/** Under which mail may be answered. */
const TIERS: readonly Tier[] = ['owner', 'member', 'known', 'stranger', 'unauthenticated'];
/** Conditions that are added here; a playbook has room for so many fewer of its own. */
export const ADDED_STOPS = 1 + TIERS.length - 2;

const isTask = (kind: string): boolean => kind.startsWith('task:');

/**
 * A candidate as far as it may be shown to whom it will be: what was learned from the mails of one person is for mails of
 * that person alone, and what was learned from several says nothing that no second of them bears out. Tasks are nobody's
 * mail. Pure.
 */
export function heldToAudience(playbook: Playbook, examples: readonly Example[]): Playbook {
  const { meta, narrow } = playbook;
  const good = examples.filter(({ verdict }) => verdict === 'good');
  const senders = sendersOf(good);
  const isPersonal = senders.length === 1 && !isTask(meta.kind);
  const held: Playbook = {
    ...playbook,
    narrow: { deny: narrow.deny.map((rule) => ({ ...rule, reason: WENT_WRONG })) },
    advice: senders.length > 1 && !isTask(meta.kind) ? '' : playbook.advice,
    stop: isPersonal ? personal(playbook.stop, good) : playbook.stop,
  };
  return { ...held, meta: { ...meta, capabilities: capabilitiesOf(held) } };
}

/** Whoever else writes is answered without it. */
function personal(stop: readonly Condition[], good: readonly Example[]): readonly Condition[] {
  const [value = ''] = sendersOf(good);
  const rest = stop.filter(({ of, is }) => is !== 'not_equal' || of !== 'mail.from');
  return [{ of: 'mail.from', is: 'not_equal', value }, ...rest];
}

const sendersOf = (examples: readonly Example[]): readonly string[] => [
  ...new Set(examples.map(({ mail }) => mail.from)),
];

/**
 * A candidate as far as its steps may go: they act with the rights of whoever writes, so they are for mail under a tier
 * under which each of them was right, and what members have taught is not done in the name of an owner. So it is with what
 * it fills in. One with neither is for tiers under which each of its rules kept something wrong back. Null: it is for none.
 * A task has one tier. Pure.
 */
export function heldToTiers(playbook: Playbook, scored: readonly ExampleScore[]): Playbook | null {
  const { meta, steps, narrow, defaults, stop } = playbook;
  const done = [
    ...steps.map((_, index) => tiersOf(scored, (one) => doesRightly(one, index + 1))),
    ...Object.keys(defaults).map((tool) => tiersOf(scored, (one) => hasUsed(one, tool))),
  ];
  const parts = done.length > 0 ? done : narrow.deny.map(({ rule }) => tiersOf(scored, (one) => keepsBack(one, rule)));
  if (isTask(meta.kind) || parts.length === 0) return playbook;
  const held = TIERS.filter((tier) => parts.every((tiers) => tiers.has(tier)));
  const [only, ...more] = held;
  if (only === undefined) return null;
  const added: readonly Condition[] =
    more.length === 0
      ? [{ of: 'mail.tier', is: 'not_equal', value: only }]
      : TIERS.filter((tier) => !held.includes(tier)).map((value) => ({ of: 'mail.tier', is: 'equal', value }));
  const own = stop.filter(({ of }) => of !== 'mail.tier');
  const [first, ...rest] = own;
  const isPersonal = first?.of === 'mail.from' && first.is === 'not_equal';
  const all = isPersonal ? [first, ...added, ...rest] : [...added, ...own];
  const changed: Playbook = { ...playbook, stop: all };
  return { ...changed, meta: { ...meta, capabilities: capabilitiesOf(changed) } };
}

const tiersOf = (scored: readonly ExampleScore[], is: (one: ExampleScore) => boolean): ReadonlySet<Tier> =>
  new Set(scored.filter(is).map(({ example }) => example.mail.tier));

const doesRightly = ({ example, played }: ExampleScore, step: number): boolean =>
  example.verdict === 'good' && played.calls.some((call) => call.step === step && call.isKnown);

const hasUsed = ({ example }: ExampleScore, tool: string): boolean =>
  example.verdict === 'good' && brought(example).some((call) => call.tool === tool);

const keepsBack = ({ example, played }: ExampleScore, rule: string): boolean =>
  played.denied.some(
    (one) => one.rule === rule && example.forbidden.some((effect) => effectKey(effect) === effectKey(one.call)),
  );

/**
 * By whom, or by which mail, a thing is borne out; two that are the same are one. The words of a task are its owner's, and
 * the same at each due time.
 */
export function witnessesOf(good: readonly Example[], kind: string): (example: Example) => string {
  if (isTask(kind)) return ({ id }) => id;
  const several = sendersOf(good).length > 1;
  return ({ mail }) => (several ? mail.from : JSON.stringify(mail));
}

function capabilitiesOf(playbook: Playbook): PlaybookMeta['capabilities'] {
  const size = (name: (typeof CAPABILITIES)[number]): number =>
    name === 'narrow'
      ? playbook.narrow.deny.length
      : name === 'defaults'
        ? Object.keys(playbook.defaults).length
        : playbook[name].length;
  return CAPABILITIES.filter((name) => size(name) > 0);
}
