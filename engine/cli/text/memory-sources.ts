import type { RememberedShape } from '../../queries/explain/memory-sources.ts';
import { dayHere } from './local-time.ts';

/** One line for each mail that was recalled, then for each fact and each rule: date, who, what it was about, id. */
export const memorySourceLines = ({
  memory_sources: mails,
  memory_facts: facts,
  standing_rules: rules,
}: RememberedShape): string[] => [
  ...mails.map(
    ({ date, direction, from, subject, message_id, beside, foreign }) =>
      `${dayHere(date)}  ${direction === 'out' ? 'our answer' : (from ?? 'nobody')}  ${subject === null ? '' : `${JSON.stringify(subject.slice(0, 80))}  `}${message_id}` +
      `${beside ? ', beside what was found' : ''}${foreign ? ', words of others' : ''}`,
  ),
  ...facts.map(
    ({ date, said_by, text, id }) =>
      `${dayHere(date)}  ${said_by}  ${text === null ? 'forgotten since' : JSON.stringify(text.slice(0, 80))}  fact ${id}`,
  ),
  ...rules.map(
    ({ date, said_by, text, id, ended }) =>
      `${dayHere(date)}  ${said_by}  ${JSON.stringify(text.slice(0, 80))}  rule ${id}${ended ? ', holds no more' : ''}`,
  ),
];
