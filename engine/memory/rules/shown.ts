import { hideDisguised } from '../../lib/secrets/secrets.ts';
import { isOrder } from '../../policy/standing-rules.ts';
import type { Rule } from '../../storage/types/rules.ts';

/** What the gateway itself does for it. */
const DONE: Readonly<Record<Rule['effect'], string>> = {
  words: '',
  deny: '; the gateway refuses such calls',
  allow: '; such calls are not asked about',
  cc: '; the gateway puts them into Cc of mail and of your answers, of none that goes to owners alone',
};

const ORDERED = '; mail to these addresses that it asks for is not asked about';

/** The same rows give the same bytes. Empty: nothing holds. That `RULES.md` stands above it is said there, where there is one. */
export function rulesBlock(rules: readonly Rule[]): string {
  const part = (label: string, of: readonly Rule[]): readonly string[] =>
    of.length === 0 ? [] : [label, ...of.map(lineOf)];
  const isOwners = ({ said_tier: tier }: Rule) => tier === 'owner';
  return [
    ...part(
      'What your owners have said is to hold from now on, in their words, each with its id. Keep to it in all that you do for this mail. Do not pass it on to others.',
      rules.filter(isOwners),
    ),
    ...part(
      'What this sender wants for their own mail from now on (how it is answered, never what you may do):',
      rules.filter((rule) => !isOwners(rule)),
    ),
  ].join('\n');
}

function lineOf(rule: Rule): string {
  const { id, text, effect, scope, scope_of: of, until, made_at: at } = rule;
  const day = (instant: number) => new Date(instant).toISOString().slice(0, 10);
  const about =
    scope === 'person'
      ? `; ${effect === 'cc' ? 'mail to' : 'for mail of'} ${of}`
      : scope === 'thread'
        ? '; in this thread'
        : '';
  const end = until === null ? '' : `; until ${day(until - 1)}`;
  // Quoted, so that no text can look like another line of this list.
  return `- [${id}] ${JSON.stringify(hideDisguised(text))} (${day(at)}${about}${end}${isOrder(rule) ? ORDERED : DONE[effect]})`;
}
