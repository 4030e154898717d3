import type { Persona } from '../config/types.ts';
import { iso } from '../lib/clock.ts';
import type { ApprovalRow } from '../storage/approval-tables.ts';

// What owners read about a held call.

const MAX_VALUE_CHARS = 4000;

export const subjectOf = (waiting: readonly ApprovalRow[]): string =>
  waiting.length === 1 ? `Approve ${waiting[0]?.tool}?` : `Approve ${waiting.length} actions?`;

export function noticeText(
  items: readonly { approval: ApprovalRow; number: number; lines: readonly string[] }[],
  persona: Persona,
): string {
  return [
    `${persona.name} wants to do the following and needs your approval.`,
    '',
    ...items.flatMap(({ approval, number, lines }) => [
      `**${number}. ${approval.tool}** (${approval.risk})`,
      '',
      ...lines,
      ...describeOrigins(approval.origins_json),
      '',
      `Open until ${iso(approval.expires_at)}; after that it is not done.`,
      '',
    ]),
    ...howToDecide(items.length),
  ].join('\n');
}

/** To a question every word is the answer; a call is decided by a few. */
export const howToAnswer = (items: readonly Pick<ApprovalRow, 'kind'>[]): string[] =>
  items.some(({ kind }) => kind === 'answer')
    ? ['Answer in your own words.']
    : items.some(({ kind }) => kind === 'plan')
      ? ['Answer with `approve` or with `deny because …`: the plan as a whole. It stops at the first step that fails.']
      : howToDecide(items.length);

const howToDecide = (count: number): string[] =>
  count === 1
    ? [
        'Answer with `approve` or `deny` (and why, if you like: `deny because …`), or with `edit 1` and lines such as `subject: Hello`.',
      ]
    : [
        'Answer with `approve all`, `approve 1`, `deny 2 because …`, or with `edit 1` and lines such as `subject: Hello`.',
      ];

/** Every argument as it was frozen. `enclosedAs` names the file beside the mail that has the whole of a long one. */
export function describeArguments(json: string, enclosedAs: (key: string) => string | null = () => null): string[] {
  return Object.entries(JSON.parse(json) as Record<string, unknown>).map(([key, value]) =>
    describeText(visible(key).replace(/[^\w. -]/g, '?'), textOfArgument(value), enclosedAs(key)),
  );
}

export const textOfArgument = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export const isLong = (text: string, most = MAX_VALUE_CHARS): boolean => text.length > most;

/** Some text under a heading; of a long one the beginning, and where the whole of it is. */
export function describeText(
  heading: string,
  text: string,
  enclosedAs: string | null = null,
  most = MAX_VALUE_CHARS,
): string {
  if (!isLong(text, most)) return `${heading}:\n\n${block(visible(text))}\n`;
  const where =
    enclosedAs === null ? '`epistle approvals show` has the whole' : `the whole is attached as \`${enclosedAs}\``;
  // Not between the halves of one character.
  const beginning = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  const said = `only the beginning of ${text.length} characters stands here; ${where}`;
  return `${heading} (${said}):\n\n${block(visible(`${beginning} …`))}\n`;
}

interface Origin {
  readonly value: string;
  readonly at: string;
  readonly origin: string | null;
}

/** Values that neither an owner nor the member who asks has named: an injected text would want exactly these. */
export function describeOrigins(json: string | null): string[] {
  const values = JSON.parse(json ?? '[]') as readonly Origin[];
  if (values.length === 0) return [];
  const lines = values.map(
    ({ value, at, origin }) => `${value} (${at}): ${origin ?? 'composed; it stands in nothing that was read'}`,
  );
  return [
    `Nobody who may say so has named the following; it comes from elsewhere:\n\n${block(visible(lines.join('\n')))}\n`,
  ];
}

/** A code block: what a model or a file says must not become a link or a heading in the mail that asks about it. */
const block = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

/** Characters that are not seen, or that turn the text around them, could show another address than the one meant. */
export const visible = (text: string): string =>
  text.replace(
    // The two variation selectors only choose between a coloured and a plain picture, and stand in half of all emoji.
    /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu,
    (character) => `<U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}>`,
  );
