import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { dayWithYear } from '../../languages/times.ts';
import { toolInWords } from '../../languages/tools.ts';
import type { Rule } from '../../storage/types/rules.ts';
import type { PlannedRule } from './decide.ts';

type Told = Pick<Rule, 'text' | 'effect' | 'tools' | 'whom' | 'scope' | 'scope_of' | 'until'>;

interface Place {
  readonly language: Language;
  /** IANA zone. */
  readonly zone: string;
}

/** What a rule comes to, as a person reads it: a line for each part. */
export function ruleInWords(
  { text, effect, tools, whom, scope, scope_of: of, until }: Told,
  { language, zone }: Place,
): string[] {
  const which = tools.map((tool) => toolInWords(tool, language)).join(', ');
  const named = whom.join(', ');
  const does = {
    words: whom.length === 0 ? say(language, 'rules.words') : say(language, 'rules.order', { named }),
    deny: whom.length === 0 ? say(language, 'rules.deny', { which }) : denied(),
    allow:
      whom.length === 0 ? say(language, 'rules.allow', { which }) : say(language, 'rules.allowFor', { which, named }),
    cc:
      scope === 'person'
        ? say(language, 'rules.copyTo', { named, of: of ?? '' })
        : say(language, 'rules.copy', { named }),
  };
  function denied(): string {
    return tools.length === 0
      ? say(language, 'rules.denyFor', { named })
      : say(language, 'rules.denyWith', { which, named });
  }
  return [
    say(language, 'rules.said', { text }),
    does[effect],
    ...(effect === 'cc' ? [say(language, 'rules.copyBounds')] : []),
    ...(scope === 'thread' ? [say(language, 'rules.ofThread')] : []),
    ...(scope === 'person' && effect !== 'cc' ? [say(language, 'rules.ofPerson', { of: of ?? '' })] : []),
    // It ends with that day, which began before.
    ...(until === null ? [] : [say(language, 'rules.until', { day: dayWithYear(until - 1, { language, zone }) })]),
  ];
}

/** All that a yes would change, for the owner who is asked. */
export function plannedInWords({ rule, ends, asks }: PlannedRule, held: number, place: Place): string {
  const { language } = place;
  return [
    ...(rule === null ? [] : ruleInWords(rule, place)),
    ...ends.map(({ text }) => say(language, 'rules.ends', { text })),
    ...(asks.includes('contradicts') ? [say(language, 'rules.contradicts')] : []),
    ...(asks.includes('many') ? [say(language, 'rules.many', { count: held })] : []),
    ...(asks.includes('doubtful') ? [say(language, 'rules.doubtful')] : []),
  ].join('\n');
}
