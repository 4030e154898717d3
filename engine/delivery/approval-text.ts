import type { Persona } from '../config/types.ts';
import { iso } from '../lib/clock.ts';
import type { ApprovalRow } from '../storage/tables.ts';

// What owners read about a held call.

const MAX_VALUE_CHARS = 4000;

export const subjectOf = (waiting: readonly ApprovalRow[]): string =>
  waiting.length === 1 ? `Approve ${waiting[0]?.tool}?` : `Approve ${waiting.length} actions?`;

export function noticeText(items: readonly { approval: ApprovalRow; number: number }[], persona: Persona): string {
  return [
    `${persona.name} wants to do the following and needs your approval.`,
    '',
    ...items.flatMap(({ approval, number }) => [
      `**${number}. ${approval.tool}** (${approval.risk})`,
      '',
      ...describeArguments(approval.arguments_json),
      '',
      `Open until ${iso(approval.expires_at)}; after that it is not done.`,
      '',
    ]),
    ...howToAnswer(items.length),
  ].join('\n');
}

export const howToAnswer = (count: number): string[] =>
  count === 1
    ? [
        'Answer with `approve` or `deny` (and why, if you like: `deny because …`), or with `edit 1` and lines such as `subject: Hello`.',
      ]
    : [
        'Answer with `approve all`, `approve 1`, `deny 2 because …`, or with `edit 1` and lines such as `subject: Hello`.',
      ];

/** Every argument as it was frozen; long ones are cut, and that they were is said. */
function describeArguments(json: string): string[] {
  return Object.entries(JSON.parse(json) as Record<string, unknown>).map(([key, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const cut =
      text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)} … (${text.length} characters in all)` : text;
    const shown = visible(cut);
    // A code block: what a model wrote must not become a link or a heading in the mail that asks about it.
    return `${visible(key).replace(/[^\w. -]/g, '?')}:\n\n${shown
      .split('\n')
      .map((line) => `    ${line}`)
      .join('\n')}\n`;
  });
}

/** Characters that are not seen, or that turn the text around them, could show another address than the one meant. */
const visible = (text: string): string =>
  text.replace(
    /(?![\t\n])[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `<U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`,
  );
