import type { Condition, Playbook, PlaybookMeta } from '../../record/codec/playbook.ts';
import { CAPABILITIES } from '../../record/codec/playbook.ts';
import type { Example } from './examples.ts';

/** In the place of a model's words, which might be those of somebody's mail. */
const WENT_WRONG = 'a call like this went wrong before';
/** Conditions that are added here; a playbook has room for so many fewer of its own. */
export const ADDED_STOPS = 2;

const isTask = (kind: string): boolean => kind.startsWith('task:');

/**
 * A candidate as far as it may be shown to whom it will be: what was learned from the mails of one person is for mails of
 * that person alone, and what was learned from several says nothing that no second of them bears out. Tasks are nobody's
 * mail. Pure.
 */
export function heldToAudience(playbook: Playbook, examples: readonly Example[]): Playbook {
  const { meta, narrow } = playbook;
  const good = examples.filter(({ verdict }) => verdict === 'good');
  const senders = valuesOf(good, 'from');
  const isPersonal = senders.length === 1 && !isTask(meta.kind);
  const held: Playbook = {
    ...playbook,
    narrow: { deny: narrow.deny.map((rule) => ({ ...rule, reason: WENT_WRONG })) },
    advice: senders.length > 1 && !isTask(meta.kind) ? '' : playbook.advice,
    stop: isPersonal ? personal(playbook.stop, good) : playbook.stop,
  };
  return { ...held, meta: { ...meta, capabilities: capabilitiesOf(held) } };
}

/** Whoever else writes, or under another tier, is answered without it. */
function personal(stop: readonly Condition[], good: readonly Example[]): readonly Condition[] {
  const added = (['from', 'tier'] as const).flatMap((field): Condition[] => {
    const [value, ...others] = valuesOf(good, field);
    if (value === undefined || others.length > 0) return [];
    return [{ of: `mail.${field}`, is: 'not_equal', value }];
  });
  const rest = stop.filter(({ of, is }) => is !== 'not_equal' || !added.some((one) => one.of === of));
  return [...added, ...rest];
}

const valuesOf = (examples: readonly Example[], field: 'from' | 'tier'): readonly string[] => [
  ...new Set(examples.map(({ mail }) => mail[field])),
];

/**
 * By whom, or by which mail, a thing is borne out; two that are the same are one. The words of a task are its owner's, and
 * the same at each due time.
 */
export function witnessesOf(good: readonly Example[], kind: string): (example: Example) => string {
  if (isTask(kind)) return ({ id }) => id;
  const several = valuesOf(good, 'from').length > 1;
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
